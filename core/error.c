/* SPDX-License-Identifier: MIT */
#include "core/internal.h"

#include <stdarg.h>

ag_status ag_fail(ag_failure *why, ag_status status, const char *format, ...)
{
    if (why && why->status == AG_OK) {
        va_list list;
        va_start(list, format);
        vsnprintf(why->sentence, sizeof why->sentence, format, list);
        va_end(list);
        why->status = status;
    }
    return status;
}
