/* SPDX-License-Identifier: MIT */
/* Networks whose checkpoints hold parameters, options and the state of the run, and no tensors of
   the model's own: harness_model.create, load, save, resume and drop, but for declaring the
   parameters. The struct of such a network begins with a harness_plain. */
#ifndef HARNESS_PLAIN_H
#define HARNESS_PLAIN_H

#include "examples/harness/run/model.h"

typedef struct harness_plain {
    const harness_program *program;
    ag_params *params;
    harness_state state;
    char *configuration, *data; /* as in harness_trained */
} harness_plain;

/* Adds all parameters to params of `net`, for the options (the program's struct) and for data that
   the JSON describes, of which a damaged file may have any. Fails: AG_EUSE (options), AG_EDATA. */
typedef ag_status harness_plain_add(void *net, const void *settings, const char *data,
                                    ag_failure *why);

/* For harness_model.create. data: the training data as JSON (harness_free), taken over; resuming
   needs the same. Fails: as `add`, AG_ESHAPE, AG_EMEMORY. */
ag_status harness_plain_create(harness_session *session, char *data, harness_plain_add *add,
                               ag_failure *why);

/* For harness_model.load. Fails: AG_EFILE, AG_EDATA, AG_EMEMORY. */
ag_status harness_plain_load(harness_trained *trained, const harness_program *program,
                             const char *path, harness_plain_add *add, ag_failure *why);

/* These are harness_model.save, resume and drop. */
ag_status harness_plain_save(const char *path, const harness_trained *trained, int resume,
                             ag_failure *why);
ag_status harness_plain_resume(const char *path, harness_trained *trained, ag_failure *why);
void harness_plain_drop(void *net);

#endif
