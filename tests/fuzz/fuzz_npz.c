/* SPDX-License-Identifier: MIT */
/* Any bytes as an npz file; fuzz_tpgnn_schedules.c opens them by a path. */
#include "core/io/io.h"

#include <stdlib.h>

enum { LIMIT = 1 << 20 };

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t n);

/* Whole, and by rows of another type. */
static void read_member(ag_npz *npz, const ag_array_info *info)
{
    double *out = malloc((size_t)info->count * sizeof *out + 1);
    if (out && ag_npz_read(npz, info->name, info->dtype, out, NULL) == AG_OK) {
        ag_rows *rows = ag_rows_open(npz, info->name, NULL);
        int64_t left = info->rank ? info->size[0] : 1;
        while (rows && left > 0) {
            int64_t portion = left < 7 ? left : 7;
            if (ag_rows_next(rows, portion, AG_F64, out, NULL) != AG_OK)
                abort(); /* was read before */
            left -= portion;
        }
        ag_rows_close(rows);
    }
    free(out);
}

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t n)
{
    ag_failure why = {0};
    ag_npz *npz = ag_npz_open_bytes(bytes, n, "fuzz", LIMIT, &why);
    if (!npz && (why.status == AG_OK || !why.sentence[0])) abort();
    for (int i = 0; npz && i < ag_npz_count(npz); i++) read_member(npz, ag_npz_info(npz, i));
    ag_npz_close(npz);
    return 0;
}
