/* SPDX-License-Identifier: MIT */
/* Formulas of ops as a reader wants them, for the programs that write pages and declarations. */
#ifndef DOCS_FORMULA_H
#define DOCS_FORMULA_H

#include <ctype.h>
#include <stdio.h>
#include <string.h>

/* Copies an expression of elementwise.def, where K(c) becomes c and v_exp exp. Longer ones than
   `size` - 1 are cut. */
static inline void plain_formula(char *out, size_t size, const char *text)
{
    int constant = 0, inside_name = 0;
    size_t n = 0;
    for (; *text && n + 1 < size; text++) {
        if (!inside_name && strncmp(text, "v_", 2) == 0)
            text += strspn(text + 1, "_") + 1;
        else if (!inside_name && strncmp(text, "K(", 2) == 0)
            constant = 1, text += 2;
        inside_name = isalnum((unsigned char)*text) || *text == '_';
        if (constant && *text == ')')
            constant = 0;
        else
            out[n++] = *text;
    }
    out[n] = 0;
}

#endif
