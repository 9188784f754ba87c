/* SPDX-License-Identifier: MIT */
/* Lists of names, with a map to find them. */
#include "examples/harness/base/names.h"
#include "examples/harness/base/bag.h"

int harness_name_place(char ***list, harness_name_at **at, const char *name, size_t length)
{
    char *text = harness_text("%.*s", (int)length, name);
    const int known = map_find(*at, text);
    if (known >= 0) {
        harness_free(text);
        return (*at)[known].value;
    }
    map_add(*at, text, bag_count(*list));
    bag_add(*list, text);
    return bag_count(*list) - 1;
}

void harness_names_free(char **list, harness_name_at *at)
{
    for (int i = 0; i < bag_count(list); i++) harness_free(list[i]);
    bag_free(list);
    map_free(at);
}
