/* SPDX-License-Identifier: MIT */
/* Small good files in test_folder, for whole calls of the programs. kind moves features and times.
 */
#ifndef TEST_PROGRAM_FILES_H
#define TEST_PROGRAM_FILES_H

/* A layout file: 12 nodes, 3 of them configurable, `configs` configurations (the last repeats the
   first, in less time) whose run times depend on their digits. */
void program_write_layout(const char *name, int configs, int kind);
/* A tile file with 5 nodes. */
void program_write_tile(const char *name, int configs, int kind);
/* A fusion file: kernels of 1 to 9 nodes, a tree each, 0.8 to 50 us. */
void program_write_fusion(const char *name, int kernels, int kind);
/* A file of 8 rows with columns of its own: two groups of items, which count one to three rows. */
void program_write_rows(const char *name, int items, int kind);

#endif
