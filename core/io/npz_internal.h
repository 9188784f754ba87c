/* SPDX-License-Identifier: MIT */
/* Declarations that the readers and writers of npz files share. */
#ifndef AG_CORE_IO_NPZ_INTERNAL_H
#define AG_CORE_IO_NPZ_INTERNAL_H

#include "core/internal.h"
#include "core/io/io.h"

#ifdef __cplusplus
extern "C" {
#endif

enum {
    AG__NPZ_MEMBERS = 64,        /* arrays */
    AG__NPZ_ENTRIES = 256,       /* of the zip, with those that are skipped */
    AG__NPY_HEADER_MOST = 10000, /* bytes of the dictionary; numpy's own limit */
    AG__NPY_PREAMBLE_MOST = 12,
    AG__NPY_WRITTEN_MOST = 320, /* bytes of a header that ag__npy_format writes */
    AG__DEFLATE_MOST = 1032     /* deflate cannot shrink anything by a larger factor */
};

/* Opens a file for reading. An empty file is refused, and so is a folder, device or pipe, without
   waiting for it. */
FILE *ag__open_regular(const char *path, int64_t *bytes, ag_failure *why);

/* If ag_file_mistaken knows what the file is, replaces the reader's failure by its sentence, unless
   this sentence begins with `own`, the kind of file that the reader reads. */
void ag__say_mistaken(ag_failure *why, const char *path, const char *own);

/* Reads n bytes and returns how many there were; a negative number is an error. */
typedef int64_t ag__reader(void *context, void *out, size_t n);

/* Reads an npy header: fills `info` except its name, and the bytes that the header takes.
   `where` opens the sentence: "file.npz: member x". */
ag_status ag__npy_read_header(ag_array_info *info, size_t *bytes, ag__reader *read, void *context,
                              const char *where, ag_failure *why);

/* The type that a file stores. The first returns 1 if its values have the bytes of info->dtype in
   memory; the second the bytes of a value; the third its name ("uint16"). */
int ag__npy_is_plain(const ag_array_info *info);
size_t ag__npy_stored_bytes(const ag_array_info *info);
const char *ag__npy_stored_name(const ag_array_info *info);

/* Writes the header that numpy writes (a multiple of 64 bytes) and returns its length. */
size_t ag__npy_format(char out[AG__NPY_WRITTEN_MOST], ag_dtype dtype, int rank,
                      const int64_t *size);

/* The count of values. Fails: AG_EUSE for dtype and rank, AG_ESHAPE for a size. */
ag_status ag__npy_count(int64_t *count, ag_dtype dtype, int rank, const int64_t *size,
                        const char *where, ag_failure *why);

/* Converts values first..first+n-1 of the array `info` from `in` to `out`. 7 bytes after those of
   `in` may be read. */
ag_status ag__npz_convert(void *out, ag_dtype as, const void *in, const ag_array_info *info,
                          int64_t first, int64_t n, const char *file, ag_failure *why);

/* `in` has the values first..first+n-1 of an array in Fortran order. The values of rows
   row..row+rows-1 go to their places in C order in `out`, which begins with row `row`. */
void ag__npz_reorder(void *out, const void *in, const ag_array_info *info, size_t bytes,
                     int64_t first, int64_t n, int64_t row, int64_t rows);

/* The value of a float16. */
float ag__from_half(uint16_t half);

/* 1 when integers are wanted and floats are stored: there is no such conversion. */
int ag__npz_cannot(ag_dtype as, ag_dtype from);

/* Looks at the end of a zip file before libzip does, and refuses what would make it allocate or
   search without bound: more than 256 entries, a directory above 64 KiB, several end records. */
ag_status ag__npz_check_end(FILE *file, int64_t bytes, const char *path, ag_failure *why);

#ifdef __cplusplus
}
#endif

#endif
