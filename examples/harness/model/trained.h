/* SPDX-License-Identifier: MIT */
/* Networks and their checkpoints. A network is built only from options and texts
   (harness_network.key), which its checkpoints hold, so a loaded network is equal to the saved
   one. */
#ifndef HARNESS_TRAINED_H
#define HARNESS_TRAINED_H

#include "examples/harness/model/model.h"

/* Start all of them from {0}, and always call harness_trained_drop. */

/* Makes session->trained for the data of the session, with initial values of the parameters. Fails:
   as the functions of harness_network; AG_EUSE, AG_EMEMORY. */
ag_status harness_trained_create(harness_session *session, ag_failure *why);

/* Loads the checkpoint that the session's network begins with: that of --init, or the last one of
   the folder if a run with --init goes on. Without --init it loads nothing. */
ag_status harness__initial_load(harness_trained *from, const harness_session *session,
                                ag_failure *why);
/* Copies the weights and scales of `from`, and warns of options of the model that differ. Fails:
   AG_EUSE (a shape differs). */
ag_status harness__initial_take(harness_session *session, const harness_trained *from,
                                ag_failure *why);

/* The same without warnings, for networks of one model. */
ag_status harness__values_take(harness_trained *to, const harness_trained *from, ag_failure *why);

/* The checkpoint of that name: a file, or the best one of a run folder or else of a model that
   ships (harness_lasting). NULL: AG_EFILE, there is none. */
const char *harness_checkpoint_at(const char *name, ag_failure *why);

/* Makes the network that a checkpoint describes. Fails: AG_EFILE, AG_EDATA, AG_EFINITE,
   AG_EMEMORY. */
ag_status harness_trained_load(harness_trained *trained, const harness_model *model,
                               const char *path, ag_failure *why);

/* Makes a second network with the values, moments and state of one that was loaded. Fails:
   AG_EMEMORY. */
ag_status harness_trained_copy(harness_trained *trained, const harness_trained *from,
                               ag_failure *why);

/* Saves a checkpoint; with resume 1, also both moments and the step of the optimizer. Fails: as
   ag_params_save. */
ag_status harness_trained_save(const char *path, const harness_trained *trained, int resume,
                               ag_failure *why);

/* Reads all that the next step depends on into the network that was created for the session.
   before: gets the settings of the run until then, which may differ where --resume accepts that.
   Fails: AG_EUSE (other options or data), and as harness_trained_load. */
ag_status harness_trained_resume(const char *path, harness_session *session,
                                 harness_training *before, ag_failure *why);

void harness_trained_drop(harness_trained *trained);

/* ---- how long a run waits for a better score (--patience) ---- */

/* Whether patience has ended the run before all steps were done. */
bool harness__trainer_stopped(const harness_session *s);
/* The step from which patience counts: that of the best score, or where the schedule started again.
 */
int64_t harness__waits_since(const harness_state *p);
bool harness__exhausted(const harness_training *how, const harness_state *p);

#endif
