/* SPDX-License-Identifier: MIT */
/* A program outside of the project, in C and (use.cpp) in C++: it sees what users see. */
#include <augur.h>
#include <stdio.h>

int main(void)
{
    ag_failure why = {AG_OK, ""};
    uint64_t keys[] = {3, 1, 2};
    int32_t values[] = {30, 10, 20};
    if (ag_shape_count(AG_SHAPE(3, 5)) != 15) return 1;
    if (ag_sort_u64(keys, values, 3, &why) != AG_OK) return 2;
    if (keys[0] != 1 || values[2] != 30) return 3;
    puts("augur works");
    return 0;
}
