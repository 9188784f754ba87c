/* SPDX-License-Identifier: MIT */
/* The inside of a tape: what record, plan and run share. */
#ifndef AG_AUTOGRAD_TAPE_H
#define AG_AUTOGRAD_TAPE_H

#include "autograd/op.h"
#include "core/cuda/device.h"

#include <string.h>

struct ag_tensor {
    ag_tape *tape;
    uint64_t generation; /* of the tape when this was recorded; 0: of no step (poison) */
    int id, node, slot;  /* node -1: a leaf */
    int root;            /* id of the tensor whose storage this one shares; its own id otherwise */
    int is_int, kept;
    ag_shape shape;
    int64_t count;
    const void *data; /* leaves: the caller's; others: set by the run */
    void *there;      /* results on a device, which are fetched when they are read */
    ag_param *param;
    const char *name;
    int fit; /* int32 arrays with the same number were found to fit together; 0: not checked */
    uint64_t serial;   /* serial number of the graph that owns this input and never changes it; 0:
                          none */
    const void *stays; /* the copy of such an input that is kept on the device; NULL: the run sends
                          the input */
    uint64_t hash;     /* inputs in debug builds: of the borrowed data when recorded */
};

/* Bytes of its values. */
static inline size_t ag__bytes_of(const ag_tensor *t)
{
    return (size_t)t->count * (t->is_int ? sizeof(int32_t) : sizeof(ag_real));
}

typedef struct ag_node {
    const ag_op *op;
    int n_in, in[AG_MAX_IN], out[AG_MAX_OUT], n_out;
    uint32_t ordinal;
    int training;
    ag_attr attr;
} ag_node;

/* Where a pointer of a kernel comes from when the plan runs. */
typedef enum ag_place { AT_NOTHING, AT_SLAB, AT_LEAF, AT_PARAM_GRADIENT, AT_TILE } ag_place;

typedef struct ag_ref {
    ag_place place;
    int id;         /* tensor (leaf, parameter) or buffer */
    int64_t offset; /* bytes in the slab, or in the tiles of a thread (on a device: of a block) */
} ag_ref;

enum { AG_JOB_REFS = AG_MAX_IN + 2 * AG_MAX_OUT + 3 };

/* One kernel with its pointers still as references. kernel NULL: fill dx with zeros. */
typedef struct ag_job {
    const ag_kernel *kernel;
    int node;
    int number;    /* number of an elementwise kernel in groups of a device; -1: it runs alone */
    int adds;      /* 1: dx already holds the part of another writer */
    int adds_also; /* the same for `also` */
    int also_of;   /* the input whose gradient `also` is */
    union {
        struct {
            ag_ref y[AG_MAX_OUT], x[AG_MAX_IN], dy[AG_MAX_OUT], dx, also, scratch;
        };
        ag_ref refs[AG_JOB_REFS]; /* all of them */
    };
    ag_args args; /* shapes and attributes; the run fills the pointers */
} ag_job;

/* One launch: a kernel, or a fused group. The first kernel of a group may be a row kernel; the
 * others are elementwise. */
typedef struct ag_step {
    int first, n; /* jobs */
    int backward;
    int leads;          /* 1: the first job is a row kernel */
    int64_t units;      /* rows of the leader, or elements */
    int64_t grain;      /* units in a block */
    int64_t per_unit;   /* elements of the group in a unit; 0: no other job may join */
    int64_t tile_bytes; /* scratch of a thread; on a device, of a block */
} ag_step;

/* Storage of one tensor or gradient between its first and its last step. */
typedef struct ag_buffer {
    int64_t bytes, offset;
    int first, last;
    int tile; /* 1: lives in the tile scratch of one group */
    int saved;
} ag_buffer;

/* All that something depends on: it is found again by these bytes, which are compared in full. */
typedef struct ag_key {
    char *bytes;
    int n, capacity;
} ag_key;

/* In place of a buffer: the plan writes the gradient where the parameter's block has it. */
enum { AG_WITH_PARAM = -2 };

typedef struct ag_plan {
    ag_key key;
    long used;   /* clock of the last use */
    long number; /* among all plans that the tape has made */
    ag_job *jobs;
    int n_jobs, jobs_capacity;
    ag_step *steps;
    int n_steps, steps_capacity;
    ag_buffer *buffers;
    int n_buffers, buffers_capacity;
    int *value_buffer, *gradient_buffer; /* by tensor id; -1: none, or AG_WITH_PARAM */
    int map_capacity;
    char *live; /* by node */
    int live_capacity, nodes;
    int64_t slab_bytes, tile_bytes, saved_bytes;
} ag_plan;

/* The launches of a run that the device repeats (replay.c). */
typedef struct ag_replay {
    ag_key key;
    uint64_t used;    /* clock of the last use; 0: never */
    ag__graph *graph; /* NULL: none yet */
    int refused;      /* 1: they could not be captured */
} ag_replay;

/* An array on the device that its owner does not change. */
typedef struct ag_kept {
    uint64_t serial, used; /* used: generation of the tape */
    const void *data;      /* on the host */
    void *there;           /* NULL: it was sent only once */
} ag_kept;

/* A parameter that moves towards the values of a tensor after a successful ag_backward
   (average.c). */
typedef struct ag_average {
    ag_param *param;
    const ag_tensor *x;
    ag_real rate;
} ag_average;

/* Time of the launches under one name. */
typedef struct ag_profile_row {
    const char *name;
    int group; /* 1: the first kernel of a fused group */
    long count;
    double seconds, bytes; /* bytes: of the tensors that the launches read and write */
} ag_profile_row;

enum { AG_KEPT = 320, AG_PLANS = 32, AG_PROFILE_ROWS = 256, AG_CHUNKS = 24, AG_REPLAYS = 32 };

/* Slots of tensors, handed out in turn (tensors.c). */
typedef struct ag_slots {
    ag_tensor *chunks[AG_CHUNKS];
    int n_chunks, chunk, at; /* the next slot is number `at` of `chunk` */
    int64_t capacity;
} ag_slots;

struct ag_tape {
    ag_device device;
    ag_precision precision; /* of products on a device */
    ag_arena *arena;        /* what ag__tape_ints hands out */
    ag_slots slots;
    uint64_t generation; /* of the tensors that can be used: counts resets, from 1 */
    ag_tensor **tensors;
    int n_tensors, tensors_capacity;
    ag_node *nodes;
    int n_nodes, nodes_capacity;
    ag_average *averages;
    int n_averages, averages_capacity;
    uint32_t ordinals;
    int fits; /* the last number that ag__set_fit gave */
    ag_tensor poison;
    ag_failure failure;
    int ran, training, check_finite;
    int seeded; /* 1: the caller says which step it is; 0: the tape counts its runs */
    ag_run_record record;
    ag_key key; /* of the recorded ops, built while planning */
    ag_plan plans[AG_PLANS];
    long clock, plans_made;
    ag_arena *slab_arena, *tiles_arena;
    char *slab, *tiles; /* slab: of the tape's device; tiles: on the CPU, the room of the thread
                           that runs, then scratch of fused groups, one part per thread */
    int64_t slab_bytes, tiles_bytes;
    ag__stage *stage;  /* of a tape on a device: its inputs go through it */
    ag__timer *timer;  /* of a profile on a device */
    ag_arena *results; /* values fetched from the device */
    ag_kept *kept;     /* AG_KEPT of them */
    ag_replay replays[AG_REPLAYS];
    ag_key replay_key; /* of the run that begins */
    uint64_t replay_clock;
    long replayed; /* runs that were replayed */
    int n_kept;
    int *work; /* flags of the planner, by tensor: needs a gradient, has one */
    int work_capacity;
    ag_profile_row *profile; /* NULL: no measuring */
    int n_profile;
};

/* A slot for the next tensor of a step that already has `used` tensors; NULL: no memory. */
ag_tensor *ag__slot(ag_slots *slots, int used);
void ag__slots_free(ag_slots *slots);

/* The name of input i as the op declares it. */
void ag__input_name(char out[32], const ag_op *op, int i);

/* Appends to a key; 1 when there is no memory (plan_cache.c). */
int ag__key_put(ag_key *key, const void *data, size_t bytes);
static inline int ag__key_equal(const ag_key *a, const ag_key *b)
{
    return a->n == b->n && memcmp(a->bytes, b->bytes, (size_t)a->n) == 0;
}

/* In debug builds the first remembers a hash of an input's data, and the second fails the tape if
 * the data of an input has changed (`when` is for the sentence). In release builds they do
 * nothing. */
void ag__borrow(ag_tensor *input);
void ag__borrow_check(ag_tape *tape, const char *when);

/* 0: no fused groups, because of AUGUR_FUSE=0, or because a run checks that all values are
   finite. */
int ag__fusion(const ag_tape *tape);
ag_plan *ag__plan_find(ag_tape *tape, ag_tensor *wanted,
                       int training); /* NULL: the tape has failed */
int ag__plan_build(ag_tape *tape, ag_plan *plan, ag_tensor *wanted, int training);
int ag__plan_place(ag_tape *tape, ag_plan *plan); /* offsets of the buffers */
void ag__job_args(ag_tape *tape, ag_job *job);    /* this run's pointers */
void ag__check_step(ag_tape *tape, const ag_plan *plan, const ag_step *step); /* check.c */

ag_real *ag__param_values(const ag_param *p); /* on the device of its block */
void ag__move_averages(ag_tape *tape);        /* average.c */

/* Arrays that stay on the device from run to run (kept.c). The first says where an array is; NULL:
   it is not there. The second notes that one was sent to `place`; the second time, the device keeps
   a copy. */
void *ag__kept_find(ag_tape *tape, const ag_tensor *x);
void ag__kept_sent(ag_tape *tape, const ag_tensor *x, const void *place, size_t bytes);
void ag__kept_free(ag_tape *tape);

/* The run on a device (run_device.c). ag__device_room returns 1 when the tape has failed. */
int ag__device_room(ag_tape *tape, const ag_plan *plan);
void ag__device_run(ag_tape *tape, ag_plan *plan);

/* The place in the slab of tensor i, an input that the plan reads; NULL: it has none. */
const ag_buffer *ag__input_place(const ag_tape *tape, const ag_plan *plan, int i);
const ag_run_record *
ag__device_record(const ag_tape *tape); /* where the device has the record of the run */
void ag__device_launch(ag_tape *tape, ag_plan *plan); /* all kernels; the tape fails if one does */

/* Repeats all launches of the plan at once, if all that they depend on is as in an earlier run. 0:
   there was no such run, so the kernels have to be launched (replay.c). */
int ag__replay(ag_tape *tape, ag_plan *plan);
void ag__replay_forget(ag_tape *tape);       /* when the slab is replaced */
const void *ag__device_result(ag_tensor *x); /* NULL: the tape has failed */
void ag__device_end(ag_tape *tape);          /* frees what the tape has on the device */
void ag__plan_free(ag_plan *plan);
double ag__clock(void); /* seconds */
void ag__profile_add(ag_tape *tape, const char *name, int group, double seconds, double bytes);
double ag__step_bytes(const ag_plan *plan, const ag_step *step);

#endif
