/* SPDX-License-Identifier: MIT */
/* Conversion of stored values by value. */
#include "core/io/npz_internal.h"

#include <float.h>
#include <math.h>
#include <string.h>

static int is_float(ag_dtype dtype) { return dtype == AG_F32 || dtype == AG_F64; }

int ag__npz_cannot(ag_dtype as, ag_dtype from) { return is_float(from) && !is_float(as); }

/* The values that an integer type holds. */
static void range_of(int64_t *least, int64_t *most, ag_dtype dtype)
{
    *least = dtype == AG_U8    ? 0
             : dtype == AG_I8  ? INT8_MIN
             : dtype == AG_I32 ? INT32_MIN
                               : INT64_MIN;
    *most = dtype == AG_U8    ? UINT8_MAX
            : dtype == AG_I8  ? INT8_MAX
            : dtype == AG_I32 ? INT32_MAX
                              : INT64_MAX;
}

static int64_t integer(const void *in, ag_dtype dtype, int64_t i)
{
    switch (dtype) {
    case AG_U8: return ((const uint8_t *)in)[i];
    case AG_I8: return ((const int8_t *)in)[i];
    case AG_I32: return ((const int32_t *)in)[i];
    default: return ((const int64_t *)in)[i];
    }
}

static void store(void *out, ag_dtype dtype, int64_t i, int64_t value)
{
    switch (dtype) {
    case AG_U8: ((uint8_t *)out)[i] = (uint8_t)value; break;
    case AG_I8: ((int8_t *)out)[i] = (int8_t)value; break;
    case AG_I32: ((int32_t *)out)[i] = (int32_t)value; break;
    case AG_I64: ((int64_t *)out)[i] = value; break;
    case AG_F32: ((float *)out)[i] = (float)value; break;
    case AG_F64: ((double *)out)[i] = (double)value; break;
    }
}

/* The indices of the value that is stored at `index`. */
static void unravel(int64_t at[AG_MAX_AXES], const ag_array_info *info, int64_t index)
{
    for (int i = 0; i < info->rank; i++) {
        int axis = info->fortran ? i : info->rank - 1 - i;
        at[axis] = index % info->size[axis];
        index /= info->size[axis];
    }
}

void ag__npz_reorder(void *out, const void *in, const ag_array_info *info, size_t bytes,
                     int64_t first, int64_t n)
{
    for (int64_t i = 0; i < n; i++) {
        int64_t at[AG_MAX_AXES], to = 0;
        unravel(at, info, first + i);
        for (int axis = 0; axis < info->rank; axis++) to = to * info->size[axis] + at[axis];
        memcpy((char *)out + (size_t)to * bytes, (const char *)in + (size_t)i * bytes, bytes);
    }
}

/* "node_config_feat[5,0,17]" for the value at a flat index. */
static const char *place(char text[160], const ag_array_info *info, int64_t index)
{
    int64_t at[AG_MAX_AXES];
    unravel(at, info, index);
    int n = snprintf(text, 160, "%s", info->name);
    for (int i = 0; i < info->rank; i++)
        n += snprintf(text + n, 160 - (size_t)n, i ? ",%lld" : "[%lld", (long long)at[i]);
    if (info->rank) snprintf(text + n, 160 - (size_t)n, "]");
    return text;
}

static ag_status from_integers(void *out, ag_dtype as, const void *in, const ag_array_info *info,
                               int64_t first, int64_t n, const char *file, ag_failure *why)
{
    int64_t least, most;
    range_of(&least, &most, as);
    for (int64_t i = 0; i < n; i++) {
        int64_t value = integer(in, info->dtype, i);
        if (value < least || value > most) {
            char text[160];
            return ag_fail(why, AG_EDATA, "%s: %s is %lld, but %s holds %lld to %lld",
                           ag_path_tail(file), place(text, info, first + i), (long long)value,
                           ag_dtype_name(as), (long long)least, (long long)most);
        }
        store(out, as, i, value);
    }
    return AG_OK;
}

static ag_status from_doubles(float *out, const double *in, const ag_array_info *info,
                              int64_t first, int64_t n, const char *file, ag_failure *why)
{
    for (int64_t i = 0; i < n; i++) {
        if (isfinite(in[i]) && fabs(in[i]) > (double)FLT_MAX) {
            char text[160];
            return ag_fail(why, AG_EDATA, "%s: %s is %g, but float32 holds -3.4e38 to 3.4e38",
                           ag_path_tail(file), place(text, info, first + i), in[i]);
        }
        out[i] = (float)in[i];
    }
    return AG_OK;
}

ag_status ag__npz_convert(void *out, ag_dtype as, const void *in, const ag_array_info *info,
                          int64_t first, int64_t n, const char *file, ag_failure *why)
{
    if (!is_float(info->dtype)) return from_integers(out, as, in, info, first, n, file, why);
    if (as == AG_F32) return from_doubles(out, in, info, first, n, file, why);
    for (int64_t i = 0; i < n; i++) ((double *)out)[i] = (double)((const float *)in)[i];
    return AG_OK;
}
