/* SPDX-License-Identifier: MIT */
/* Switches in the environment, which all accept the same words. */
#define _GNU_SOURCE /* strcasecmp */
#include "core/threads.h"

#include <stdlib.h>
#include <strings.h>

int ag_switch(const char *variable, int usual)
{
    static const char *const words[2][4] = {{"0", "off", "no", "false"},
                                            {"1", "on", "yes", "true"}};
    const char *text = variable ? getenv(variable) : NULL;
    for (int on = 0; text && on < 2; on++)
        for (int i = 0; i < 4; i++)
            if (!strcasecmp(text, words[on][i])) return on;
    return usual;
}
