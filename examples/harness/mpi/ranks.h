/* SPDX-License-Identifier: MIT */
/* The processes of a training run that a launcher of MPI started (mpirun, srun), and what they
   agree upon. Where `ranks` is NULL there is one process, and the functions do nothing. */
#ifndef HARNESS_RANKS_H
#define HARNESS_RANKS_H

#include "core/ranks.h"
#include "examples/harness/base/base.h"

/* ---- the processes (mpi.c, launched.c) ---- */

/* How many processes the launcher started, as the environment says; 1: there is no launcher. *rank:
   the rank of this one. */
int harness_ranks_launched(int *rank);

/* NULL without a launcher. patience: seconds after which a rank that does not answer is a failure.
   Fails: AG_EUSE (a build without MPI, or with the MPI of another launcher). */
ag_ranks *harness_ranks_open(double patience, ag_failure *why);
/* How many ranks share the processors of this one. */
int harness_ranks_local(const ag_ranks *ranks);
/* Waits for all ranks, however long. */
void harness_ranks_close(ag_ranks *ranks);
/* Ends all ranks with this exit code. */
_Noreturn void harness_ranks_abort(ag_ranks *ranks, int code);

/* Rank 0 prints, saves and scores. */
static inline bool harness_leads(const ag_ranks *ranks) { return !ranks || ranks->rank == 0; }

/* From now on all that ranks other than 0 print goes to FOLDER/rank-N.log. */
ag_status harness_ranks_log(const ag_ranks *ranks, const char *program, const char *folder,
                            ag_failure *why);
/* Prints a sentence where the program's errors go, with the number of the rank. */
void harness_ranks_error(const ag_ranks *ranks, const char *sentence);

/* ---- what they agree upon (agree.c) ---- */

/* Gives all ranks the bytes of rank 0, and waits for these, however long rank 0 takes. */
ag_status harness_ranks_tell(ag_ranks *ranks, void *data, size_t bytes, const char *what,
                             ag_failure *why);

/* All that has to be equal before the first step. */
typedef struct harness_identity {
    char processor[400], version[64];         /* with the device's name */
    uint64_t program, options, data, weights; /* hashes */
    int64_t step;
} harness_identity;
/* Fails, on all ranks: AG_EUSE, with the first difference from rank 0. */
ag_status harness_ranks_compare(ag_ranks *ranks, const harness_identity *mine, ag_failure *why);

/* The message of a rank after a step. */
typedef struct harness_said {
    uint64_t weights; /* a hash of the parameters; 0: they are on a device */
    int64_t stops;    /* 1: this rank was asked to stop */
} harness_said;
/* loss [last - first]: the losses of this rank's shards. *sum gets the sum of the losses of all
   shards, in their order; mine->stops becomes 1 if any rank stops. Fails: AG_EDATA (weights
   differ), and as ag_ranks.exchange. */
ag_status harness_ranks_step(double *sum, harness_said *mine, ag_ranks *ranks, const double *loss,
                             int64_t shards, ag_failure *why);

#endif
