/* SPDX-License-Identifier: MIT */
/* Training in several processes: how they become one run, what they compare before the first step,
   and what they tell each other after a step. */
#include "examples/harness/commands/trainer.h"
#include "core/device.h"
#include "core/error.h"
#include "core/threads.h"
#include "examples/harness/base/file.h"
#include "examples/harness/machine/processor.h"
#include "examples/harness/mpi/ranks.h"

#include <stdlib.h>
#include <string.h>
#include <xxhash.h>

/* Ranks that have the same processors divide them. */
static void share_processors(int threads, const ag_ranks *ranks)
{
    const int local = harness_ranks_local(ranks), all = ag_threads();
    if (!threads && !getenv("OMP_NUM_THREADS")) ag_set_threads(all > local ? all / local : 1);
}

enum { RANK_PATIENCE = 600 }; /* its default */

ag_status harness__trainer_join(harness_call *call, ag_failure *why)
{
    int rank;
    const int launched = harness_ranks_launched(&rank);
    const harness_settings *s = call->values;
    if (launched < 2 && s->training.rank_patience != RANK_PATIENCE)
        return ag_fail(why, AG_EUSE,
                       "--rank-patience is for training that mpirun or srun starts; omit it");
    if (launched < 2) return AG_OK;
    if (s->training.shards < launched)
        return ag_fail(why, AG_EUSE,
                       "a launcher of MPI started %d ranks, but a step has %lld batches for them; "
                       "give --shards %d, or a multiple of it",
                       launched, (long long)s->training.shards, launched);
    call->ranks = harness_ranks_open(s->training.rank_patience, why);
    if (call->ranks) share_processors(s->common.threads, call->ranks);
    if (!harness_leads(call->ranks)) harness_log_start(call->program->name, true);
    return why->status;
}

static uint64_t hash_of_text(const char *text)
{
    return text ? XXH3_64bits(text, strlen(text)) : 0;
}

/* 0 where the system does not tell. */
static uint64_t hash_of_program(void)
{
    ag_failure why = {0};
    size_t bytes;
    char *all = harness__read_file("/proc/self/exe", (size_t)1 << 30, &bytes, &why);
    const uint64_t hash = all ? XXH3_64bits(all, bytes) : 0;
    harness_free(all);
    return hash;
}

static uint64_t hash_of_weights(const ag_params *p)
{
    return p->device == AG_CPU ? XXH3_64bits(p->value, (size_t)p->size * sizeof *p->value) : 0;
}

ag_status harness__trainer_compare(const harness_session *s, ag_failure *why)
{
    if (!s->ranks) return AG_OK;
    const bool on_cpu = ag_tape_device(s->tape) == AG_CPU;
    ag_device_about about = {0};
    harness_identity me = {.program = hash_of_program(),
                           .options = hash_of_text(s->trained.configuration),
                           .data = hash_of_text(s->trained.data),
                           .weights = hash_of_weights(s->trained.params),
                           .step = s->trained.state->step};
    if (!on_cpu) ag_device_describe(&about);
    snprintf(me.processor, sizeof me.processor, "%s%s%s", harness_processor(),
             on_cpu ? "" : " with ", about.name);
    snprintf(me.version, sizeof me.version, "%s, %s", s->model->program->version, ag_isa());
    return harness_ranks_compare(s->ranks, &me, why);
}

ag_status harness__trainer_link(harness_session *s, ag_failure *why)
{
    ag_failure none = {0};
    if (!s->ranks || ag_tape_device(s->tape) == AG_CPU) return AG_OK;
    const ag_status status = ag_ranks_link_devices(s->ranks, &none);
    if (status && status != AG_EUSE) return ag_fail(why, status, "%s", none.sentence);
    if (status)
        harness_say("gradients move between GPUs through the host: %s", none.sentence);
    else
        harness_say("gradients move between GPUs by NCCL");
    return AG_OK;
}

ag_status harness__trainer_meet(harness_session *s, double *sum, ag_failure *why)
{
    if (!s->ranks) return AG_OK;
    harness_said me = {.weights = hash_of_weights(s->trained.params),
                       .stops = harness_interrupted()};
    if (!harness_ranks_step(sum, &me, s->ranks, s->loss, s->how.shards, why)) s->stops = me.stops;
    return why->status;
}

/* One rank alone must not stop: the others would wait for it. */
bool harness__trainer_goes_on(const harness_session *s, ag_failure *why)
{
    if (!s->ranks) return harness_go_on(why);
    if (!why->status && s->stops) ag_fail(why, AG_ESTOPPED, "interrupted");
    return !why->status;
}
