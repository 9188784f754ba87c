/* SPDX-License-Identifier: MIT */
/* Converts stored values one by one. */
#include "core/float_mode.h"
#include "core/error.h"
#include "core/io/npz_internal.h"

#include <float.h>
#include <math.h>
#include <string.h>

static int is_float(ag_dtype dtype) { return dtype == AG_F32 || dtype == AG_F64; }

int ag__npz_cannot(ag_dtype as, ag_dtype from) { return is_float(from) && !is_float(as); }

/* The values that a type takes of integers. */
static const struct {
    int64_t least, most;
} ranges[] = {
    [AG_F32] = {INT64_MIN, INT64_MAX}, [AG_F64] = {INT64_MIN, INT64_MAX},
    [AG_U8] = {0, UINT8_MAX},          [AG_I8] = {INT8_MIN, INT8_MAX},
    [AG_I32] = {INT32_MIN, INT32_MAX}, [AG_I64] = {INT64_MIN, INT64_MAX},
};

/* The bits of value i, in the byte order of this machine. */
static uint64_t bits_of(const void *in, const ag_array_info *info, int64_t i)
{
    const int bytes = info->stored[2] - '0', above = 64 - 8 * bytes;
    uint64_t bits; /* with some of the next value */
    memcpy(&bits, (const char *)in + i * bytes, sizeof bits);
    return info->stored[0] == '>' ? __builtin_bswap64(bits) >> above : bits << above >> above;
}

float ag__from_half(uint16_t half)
{
    const uint32_t exponent = half >> 10 & 31, fraction = half & 1023;
    const uint32_t bits = (exponent == 31 ? 0x7f800000 : (exponent + 112) << 23) | fraction << 13;
    float value;
    memcpy(&value, &bits, sizeof value);
    if (!exponent) value = (float)fraction * 0x1p-24F;
    return half >> 15 ? -value : value;
}

static double real_of(const void *in, const ag_array_info *info, int64_t i)
{
    const uint64_t bits = bits_of(in, info, i);
    const uint32_t low = (uint32_t)bits;
    float narrow;
    double wide;
    switch (info->stored[2]) {
    case '2': return (double)ag__from_half((uint16_t)bits);
    case '4': memcpy(&narrow, &low, 4); return (double)narrow;
    default: memcpy(&wide, &bits, 8); return wide;
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

/* A value above those of int64. */
static void store_huge(void *out, ag_dtype dtype, int64_t i, uint64_t value)
{
    if (dtype == AG_F32)
        ((float *)out)[i] = (float)value;
    else
        ((double *)out)[i] = (double)value;
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
                     int64_t first, int64_t n, int64_t row, int64_t rows)
{
    const int64_t height = info->size[0], width = info->count / height;
    for (int64_t done = 0, run; done < n; done += run) {
        int64_t at[AG_MAX_AXES] = {0}, column = 0;
        unravel(at, info, first + done); /* the values that follow have the next at[0] */
        run = height - at[0] < n - done ? height - at[0] : n - done;
        for (int axis = 1; axis < info->rank; axis++) column = column * info->size[axis] + at[axis];
        for (int64_t i = 0; i < run; i++) {
            const int64_t to = at[0] + i - row;
            if (to < 0 || to >= rows) continue;
            memcpy((char *)out + (size_t)(to * width + column) * bytes,
                   (const char *)in + (size_t)(done + i) * bytes, bytes);
        }
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
    const int is_signed = info->stored[1] == 'i', above = 64 - 8 * (int)ag__npy_stored_bytes(info);
    const int64_t least = ranges[as].least, most = ranges[as].most;
    for (int64_t i = 0; i < n; i++) {
        const uint64_t bits = bits_of(in, info, i);
        const int64_t value = is_signed ? (int64_t)(bits << above) >> above : (int64_t)bits;
        const int huge = !is_signed && bits > INT64_MAX;
        if (huge ? !is_float(as) : value < least || value > most) {
            char text[160], number[24];
            snprintf(number, sizeof number, "%s%llu", value < 0 && !huge ? "-" : "",
                     value < 0 && !huge ? 0 - (unsigned long long)value : (unsigned long long)bits);
            return ag_fail(why, AG_EDATA, "%s: %s is %s, but %s holds %lld to %lld",
                           ag_path_tail(file), place(text, info, first + i), number,
                           ag_dtype_name(as), (long long)least, (long long)most);
        }
        if (huge)
            store_huge(out, as, i, bits);
        else
            store(out, as, i, value);
    }
    return AG_OK;
}

static ag_status from_floats(void *out, ag_dtype as, const void *in, const ag_array_info *info,
                             int64_t first, int64_t n, const char *file, ag_failure *why)
{
    for (int64_t i = 0; i < n; i++) {
        const double value = real_of(in, info, i);
        if (as == AG_F64) {
            ((double *)out)[i] = value;
            continue;
        }
        if (isfinite(value) && fabs(value) > (double)FLT_MAX) {
            char text[160];
            return ag_fail(why, AG_EDATA, "%s: %s is %g, but float32 holds -3.4e38 to 3.4e38",
                           ag_path_tail(file), place(text, info, first + i), value);
        }
        ((float *)out)[i] = (float)value;
    }
    return AG_OK;
}

ag_status ag__npz_convert(void *out, ag_dtype as, const void *in, const ag_array_info *info,
                          int64_t first, int64_t n, const char *file, ag_failure *why)
{
    const uint64_t mode = ag__float_mode_enter();
    const ag_status status = (is_float(info->dtype) ? from_floats : from_integers)(
        out, as, in, info, first, n, file, why);
    ag__float_mode_set(mode);
    return status;
}
