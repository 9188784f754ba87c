/* SPDX-License-Identifier: MIT */
/* Moves data by MPI, in messages between two ranks, so that it is known which rank does not answer.
   No other file includes mpi.h, and MPI adds no numbers. */
#define _GNU_SOURCE
#include "examples/harness/base/bag.h"
#include "core/error.h"
#include "examples/harness/mpi/ranks.h"

#include <sched.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#ifdef AG_HAVE_MPI

# include <mpi.h>

enum { PIECE = 1 << 30 }; /* bytes of a message: their number is an int */

typedef struct place {
    char host[64];
    int64_t process;
    cpu_set_t processors; /* that it may use */
} place;

typedef struct mpi_ranks {
    ag_ranks ranks;
    MPI_Request *request; /* stb_ds array */
    int *of;              /* stb_ds array: the rank of each */
    MPI_Status *status;   /* stb_ds array: nobody reads them, but MPICH's word for none warns */
    place *place;         /* [count] */
} mpi_ranks;

static ag_status does_not_come(const mpi_ranks *m, const char *what, ag_failure *why)
{
    int rank = -1, more = 0;
    for (int i = 0, done = 0; i < bag_count(m->request); i++) {
        if (m->request[i] != MPI_REQUEST_NULL)
            MPI_Request_get_status(m->request[i], &done, MPI_STATUS_IGNORE);
        if (m->request[i] == MPI_REQUEST_NULL || done || m->of[i] == rank) continue;
        more += rank >= 0;
        if (rank < 0) rank = m->of[i];
    }
    if (rank < 0) return AG_OK; /* it came just now */
    return ag_fail(why, AG_EDEVICE,
                   "rank %d (process %lld on %s)%s has not come to %s for %g s (--rank-patience); "
                   "see whether it runs and what its rank-%d.log says, and go on with --resume",
                   rank, (long long)m->place[rank].process, m->place[rank].host,
                   more ? " and others" : "", what, m->ranks.patience, rank);
}

/* Turns awake for a moment, since messages are quick, and then leaves the processor to others. */
static void rest(double waited)
{
    static const struct timespec nap = {0, 200000};
    if (waited < 0.02)
        sched_yield();
    else
        nanosleep(&nap, NULL);
}

static ag_status finish(mpi_ranks *m, const char *what, ag_failure *why)
{
    const double begin = harness_seconds();
    bag_resize(m->status, bag_count(m->request));
    for (int done = 0; !done;) {
        MPI_Testall(bag_count(m->request), m->request, &done, m->status);
        const double waited = harness_seconds() - begin;
        if (!done && waited > m->ranks.patience && does_not_come(m, what, why)) return AG_EDEVICE;
        if (!done) rest(waited);
    }
    return AG_OK;
}

static void begin(mpi_ranks *m, int rank, ag_ranks_part part, bool sends)
{
    for (size_t at = 0; at < part.bytes; at += PIECE) {
        MPI_Request request;
        char *from = (char *)part.at + at;
        const int bytes = part.bytes - at < PIECE ? (int)(part.bytes - at) : PIECE;
        if (sends)
            MPI_Isend(from, bytes, MPI_BYTE, rank, 0, MPI_COMM_WORLD, &request);
        else
            MPI_Irecv(from, bytes, MPI_BYTE, rank, 0, MPI_COMM_WORLD, &request);
        bag_add(m->request, request);
        bag_add(m->of, rank);
    }
}

static ag_status exchange(ag_ranks *ranks, const ag_ranks_part *send, const ag_ranks_part *receive,
                          const char *what, ag_failure *why)
{
    mpi_ranks *m = (mpi_ranks *)ranks;
    bag_resize(m->request, 0);
    bag_resize(m->of, 0);
    for (int r = 0; r < ranks->count; r++) {
        if (r == ranks->rank) continue;
        begin(m, r, receive[r], false);
        begin(m, r, send[r], true);
    }
    return finish(m, what, why);
}

/* How many of the first `count` ranks are on this host, and may use the same processors. */
static int near(const mpi_ranks *m, int count, bool same_processors)
{
    const place *me = &m->place[m->ranks.rank];
    int n = 0;
    for (int r = 0; r < count; r++)
        n += strcmp(m->place[r].host, me->host) == 0 &&
             (!same_processors || CPU_EQUAL(&m->place[r].processors, &me->processors));
    return n;
}

int harness_ranks_local(const ag_ranks *ranks)
{
    return near((const mpi_ranks *)ranks, ranks->count, true);
}

void harness_ranks_close(ag_ranks *ranks)
{
    mpi_ranks *m = (mpi_ranks *)ranks;
    ag_failure why = {0};
    if (!m) return;
    ag_ranks_unlink(ranks);
    harness_ranks_tell(ranks, &(int){0}, sizeof(int), "the end", &why);
    MPI_Finalize();
    bag_free(m->request);
    bag_free(m->of);
    bag_free(m->status);
    harness_free(m->place);
    harness_free(m);
}

void harness_ranks_abort(ag_ranks *ranks, int code)
{
    (void)ranks;
    MPI_Abort(MPI_COMM_WORLD, code);
    _exit(code);
}

ag_ranks *harness_ranks_open(double patience, ag_failure *why)
{
    int rank, level, seen;
    const int launched = harness_ranks_launched(&rank);
    if (launched < 2) return NULL;
    MPI_Init_thread(NULL, NULL, MPI_THREAD_FUNNELED, &level);
    MPI_Comm_size(MPI_COMM_WORLD, &seen);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    if (seen != launched) {
        MPI_Finalize();
        ag_fail(why, AG_EUSE,
                "the launcher started %d ranks, but the MPI of this build sees %d; start it with "
                "the launcher of the MPI that it was built with",
                launched, seen);
        return NULL;
    }
    mpi_ranks *m = harness_alloc(sizeof *m);
    *m = (mpi_ranks){
        .ranks = {.rank = rank, .count = seen, .patience = patience, .exchange = exchange}};
    m->place = harness_alloc((size_t)seen * sizeof *m->place);
    place mine = {.process = getpid()};
    sched_getaffinity(0, sizeof mine.processors, &mine.processors);
    gethostname(mine.host, sizeof mine.host - 1);
    MPI_Allgather(&mine, sizeof mine, MPI_BYTE, m->place, sizeof mine, MPI_BYTE, MPI_COMM_WORLD);
    ag_ranks_take_device(near(m, rank, false));
    return &m->ranks;
}

#else

ag_ranks *harness_ranks_open(double patience, ag_failure *why)
{
    int rank;
    const int launched = harness_ranks_launched(&rank);
    (void)patience;
    if (launched > 1)
        ag_fail(why, AG_EUSE,
                "this is one of %d ranks of a launcher of MPI, but the build has no MPI; install "
                "libopenmpi-dev or libmpich-dev and build again, or start it without a launcher",
                launched);
    return NULL;
}

/* The others are for ranks that were opened. */
int harness_ranks_local(const ag_ranks *ranks) { return ranks->count; }
void harness_ranks_close(ag_ranks *ranks) { (void)ranks; }
void harness_ranks_abort(ag_ranks *ranks, int code) { (void)ranks, _exit(code); }

#endif
