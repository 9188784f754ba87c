/* SPDX-License-Identifier: MIT */
/* An open npz file; only the files that talk to libzip include this. */
#ifndef AG_CORE_IO_NPZ_FILE_INTERNAL_H
#define AG_CORE_IO_NPZ_FILE_INTERNAL_H

#include "core/io/npz_internal.h"

#include <zip.h>

enum { AG__WHERE = 300, AG__NPZ_NAME_MOST = 63 };

struct ag_npz {
    zip_t *zip;
    char *path;
    int count;
    ag_array_info info[AG__NPZ_MEMBERS]; /* in the order of the zip directory */
    zip_uint64_t entry[AG__NPZ_MEMBERS]; /* the place of each in that directory */
    size_t header[AG__NPZ_MEMBERS];      /* bytes of each npy header */
};

/* Records what libzip says about `where`. */
ag_status ag__zip_fail(zip_error_t *error, const char *where, ag_failure *why);

/* An ag__reader over a zip_file_t. */
int64_t ag__zip_read(void *file, void *out, size_t n);

/* "FILE: member NAME". */
const char *ag__npz_where(char text[AG__WHERE], const ag_npz *npz, const char *name);

#endif
