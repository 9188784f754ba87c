/* SPDX-License-Identifier: MIT */
#ifndef TGRAPH_CONTEST_H
#define TGRAPH_CONTEST_H

/* The contest's name of a file, from its folders; shown: what results call it, NULL: its own name:
   .../layout/xla/default/test/NAME.npz is "layout:xla:default:NAME", .../tile/xla/test/NAME.npz
   "tile:xla:NAME"; where the folders do not tell, "layout:NAME". The caller frees it
   (harness_free). */
char *tgraph_contest_id(const char *path, const char *shown, int tile);

#endif
