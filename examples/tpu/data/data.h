/* SPDX-License-Identifier: MIT */
/* Kernels for the TPU model: of TpuGraphs tile files (a kernel each, with the run times of many
   tile sizes) and of fusion files (docs/formats/lab.md: many kernels of one program, a run time
   each). Functions return AG_OK, or record the first failure in `why` (not NULL, {0} at the call)
   and return its status. */
#ifndef TPU_DATA_H
#define TPU_DATA_H

#include "examples/harness/base/names.h"
#include "examples/harness/cli/options.h"
#include "examples/tpugraphs/tpugraphs.h"
#include "gnn/gnn.h"

enum {
    TPU_OPCODES = 121, /* HLO op codes 0..120 */
    TPU_STATIC = 4     /* static performance features (hlo.h) */
};

typedef enum tpu_task { TPU_TILE, TPU_FUSION } tpu_task;
extern const char *const tpu_task_name[]; /* "tile", "fusion" */

/* One kernel. Nodes are in topological order: producers before their consumers, otherwise as in the
   file. Arrays live as long as the data, and nothing else writes to them. */
typedef struct tpu_kernel {
    int program, family; /* indices into the data's lists */
    const char *name;    /* tile: of the file, without .npz; fusion: of its program */
    int number;          /* in its file, from 0 on */
    int nodes, edges;
    float *feature;             /* [nodes,140] as in the file */
    int32_t *opcode;            /* [nodes] */
    int32_t *reducer;           /* [nodes] as in tpugraphs_raw, or NULL */
    int32_t *edge;              /* [edges,2] pairs (u, v): u consumes the output of v */
    int dots;                   /* of which the file names the operands and axes */
    tpugraphs_dot *dot;         /* [dots] */
    int configs;                /* fusion: 1 */
    float *tile;                /* [configs,24]; NULL: fusion */
    int64_t *runtime;           /* [configs] ns; NULL: hidden (all 0 in the file) */
    float analysis[TPU_STATIC]; /* flops, bytes read, bytes written, special functions */
} tpu_kernel;

/* Start from {0}; budget.limit may be set before the first file. */
typedef struct tpu_data {
    tpu_task task;
    tpugraphs_budget budget;
    tpu_kernel *kernel;
    char **program, **family; /* names */
    int kernels, programs, families;
    int files;
    uint64_t hash;       /* of all names, arrays and run times, in their order */
    harness_files paths; /* what tpu_data_read has read */
    /* The memory of the files, the places of names, and the room of both lists. */
    struct tpu_file *file;                   /* [files] */
    harness_name_at *program_at, *family_at; /* maps; like the names, they are too small to count
                                                in the budget */
    int file_room, kernel_room;
    size_t list_bytes; /* taken from the budget */
} tpu_data;

/* Reads every file of the paths and appends its kernels to the data. A program's name is that of a
   fusion file without .npz, or that of a tile file without its last _HASH (8 to 16 hexadecimal
   digits, maybe a minus before them); its family is the name up to the first _NUMBER:
   alexnet_0_2155ec5a01335009 is a kernel of the program alexnet_0, of the family alexnet. Nodes
   that are not in topological order are renumbered by Kahn's algorithm, the smallest number first.
   The kinds of files must not be mixed. Memory: each array is held once. A file that fails adds
   nothing; those before it stay. Fails: AG_EFILE, AG_EDATA (an index, size, count or feature out of
   range; edges that form a circle), AG_EMEMORY, AG_EUSE, AG_ESTOPPED. */
ag_status tpu_data_add(tpu_data *data, const harness_files *paths, ag_failure *why);
/* The same for files, folders and lists as a user gives them; call it once for `data`. option: as
   in harness_files_read. This function and the next are of a harness_fit. */
ag_status tpu_data_read(void *data, const harness_paths *given, const char *option,
                        ag_failure *why);
void tpu_data_free(void *data);
/* Frees the arrays of a kernel that owns them; those of tpu_data_add belong to the data. */
void tpu_kernel_free(tpu_kernel *kernel);
/* The number of kernels whose run times are not hidden. */
int tpu_data_known(const tpu_data *data);
/* The mean of ln(ns) over all configurations with run times; 0: there are none. */
double tpu_data_mean_log(const tpu_data *data);
/* Whether a model can learn from the kernel: run times are known, and those of tiles are not all
   equal. */
int tpu_kernel_teaches(const tpu_kernel *kernel);

#endif
