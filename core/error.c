/* SPDX-License-Identifier: MIT */
#include "core/error.h"
#include "core/internal.h"

#include <fenv.h>
#include <stdarg.h>

const char AG__BUILT = 0;

ag_status ag_fail(ag_failure *why, ag_status status, const char *format, ...)
{
    if (why && why->status == AG_OK) {
        char text[sizeof why->sentence];
        fenv_t mode; /* %g rounds as it says */
        va_list list;
        fegetenv(&mode);
        fesetenv(FE_DFL_ENV);
        va_start(list, format);
        vsnprintf(text, sizeof text, format ? format : "A call failed and gave no reason", list);
        va_end(list);
        fesetenv(&mode);
        ag_printable(why->sentence, sizeof why->sentence, text);
        why->status = status;
    }
    return status;
}

int ag_report(const ag_failure *why)
{
    if (!why || why->status == AG_OK) return 0;
    fprintf(stderr, "%s\n", why->sentence);
    return 1;
}

ag_status ag__refuse_null(ag_failure *why, const char *call, const char *argument)
{
    return ag_fail(why, AG_EUSE, "%s: the argument %s is NULL; give it what the header asks for",
                   call, argument);
}
