/* SPDX-License-Identifier: MIT */
#include "examples/harness/machine/fits.h"

#include "core/core.h"

/* Rounds up to 2 MiB, the unit in which a device gives out memory. */
static size_t pieces(size_t bytes)
{
    const size_t piece = (size_t)2 << 20;
    return (bytes + piece - 1) / piece * piece;
}

/* Bytes on the device for `count` of them: the slab, and twice the inputs, of which one set arrives
   while the other is in use. SIZE_MAX: cannot be recorded. */
static size_t needed(const harness_portion *p, ag_tape *tape, int count)
{
    ag_failure why = {0};
    ag_tape_reset(tape);
    ag_tensor *y = p->record(p->user, tape, count, &why);
    if (!y) return SIZE_MAX;
    const ag_plan_summary plan = ag_plan_of(y, p->training);
    return ag_failed(tape) ? SIZE_MAX : pieces(plan.slab) + 2 * pieces(plan.inputs);
}

/* The largest count that fits; 0: not even one does. */
static int largest(const harness_portion *p, ag_tape *tape, size_t room)
{
    int fits = 0, too_many = p->count;
    while (too_many - fits > 1) {
        const int middle = fits + (too_many - fits) / 2;
        if (needed(p, tape, middle) <= room)
            fits = middle;
        else
            too_many = middle;
    }
    return fits;
}

ag_status harness_run_failed(const harness_portion *p, ag_tape *tape, const char *where,
                             ag_failure *why)
{
    const ag_status status = ag_tape_status(tape);
    char *sentence = harness_copy(ag_error(tape)); /* a reset forgets it */
    ag_device_about device = {0};
    const int asks = status == AG_EMEMORY && ag_tape_device(tape) != AG_CPU && p->record;
    if (asks) ag_device_describe(&device);
    const size_t bytes = asks ? needed(p, tape, p->count) : SIZE_MAX, room = device.unused;
    if (bytes == SIZE_MAX || bytes <= room) {
        ag_fail(why, status, "%s: %s", where, sentence);
    } else {
        const int fits = largest(p, tape, room);
        char *advice =
            fits ? harness_text("at most %d fit: lower %s, or take --device cpu", fits, p->options)
                 : harness_copy("not even one fits: take --device cpu");
        ag_fail(why, status,
                "%s: %d %s need %zu bytes on the CUDA device, of which %zu are free; %s", where,
                p->count, p->what, bytes, room, advice);
        harness_free(advice);
    }
    harness_free(sentence);
    return status;
}

ag_status harness_scoring_failed(const harness_portion *p, ag_tape *tape, const char *name,
                                 ag_failure *why)
{
    char where[200];
    snprintf(where, sizeof where, "scoring %.150s", name);
    return harness_run_failed(p, tape, where, why);
}
