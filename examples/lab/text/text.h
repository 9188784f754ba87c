/* SPDX-License-Identifier: MIT */
/* Programs as text, a line per node:

       program mlp_3 mlp
       x = f32[64,256] parameter()
       w = f32[256,128] parameter()
       h = f32[64,128] dot(x, w) left=1 right=0
       z = f32[] constant() value=0
       zero = f32[64,128] broadcast(z) dims={}
       y = f32[64,128] maximum(h, zero)
*/
#ifndef LAB_TEXT_H
#define LAB_TEXT_H

#include "examples/lab/program/program.h"

#include <stdio.h>

/* Reads one program into *p, which must be empty; path is for the sentences, which name the line.
   Bytes that are not a program are refused: p then has no nodes, and p->why has the sentence.
   docs/formats/lab.md has the grammar. */
ag_status lab_text_read(lab_program *p, const char *text, size_t length, const char *path);
ag_status lab_text_load(lab_program *p, const char *path);
/* Prints a program as text from which lab_text_read makes it again. */
void lab_text_print(FILE *out, const lab_program *p);

#endif
