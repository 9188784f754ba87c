/* SPDX-License-Identifier: MIT */
/* The launcher in the environment, and the logs of ranks other than 0. */
#define _GNU_SOURCE
#include "examples/harness/mpi/ranks.h"
#include "core/error.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static int number(const char *name)
{
    const char *text = getenv(name);
    return text ? atoi(text) : -1;
}

/* Open MPI; MPICH, Intel and Slurm's pmi2; Slurm's pmix. Slurm's own counts alone say nothing: a
   program that sbatch starts without srun has them, too. */
int harness_ranks_launched(int *rank)
{
    static const char *const names[][2] = {{"OMPI_COMM_WORLD_SIZE", "OMPI_COMM_WORLD_RANK"},
                                           {"PMI_SIZE", "PMI_RANK"},
                                           {"SLURM_STEP_NUM_TASKS", "PMIX_RANK"}};
    *rank = 0;
    for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
        const int count = number(names[i][0]), mine = number(names[i][1]);
        if (count < 1 || mine < 0) continue;
        *rank = mine;
        return count;
    }
    return 1;
}

static int errors = -1; /* stderr before it was a log */

ag_status harness_ranks_log(const ag_ranks *ranks, const char *program, const char *folder,
                            ag_failure *why)
{
    if (harness_leads(ranks)) return AG_OK;
    const char *path = harness_format("%s/rank-%d.log", folder, ranks->rank);
    const int log = open(path, O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0666);
    if (log < 0)
        return ag_fail(why, AG_EFILE, "%.200s cannot be written: %s; choose another --out", path,
                       strerror(errno));
    errors = fcntl(STDERR_FILENO, F_DUPFD_CLOEXEC, 0);
    dup2(log, STDOUT_FILENO);
    dup2(log, STDERR_FILENO);
    close(log);
    harness_log_start(program, false);
    return AG_OK;
}

void harness_ranks_error(const ag_ranks *ranks, const char *sentence)
{
    const char *text = harness_format("rank %d: %s", ranks->rank, sentence);
    harness_error(text);
    if (errors < 0) return;
    dup2(errors, STDERR_FILENO);
    harness_error(text);
}
