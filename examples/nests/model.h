/* SPDX-License-Identifier: MIT */
/* The model: ln of a sum, over the rows of an item, of times x work x exp(f(row)). f is the mean of
   small networks or of sets of boosted trees; with both, their scores are averaged. */
#ifndef NESTS_MODEL_H
#define NESTS_MODEL_H

#include "examples/harness/baseline/trees.h"
#include "examples/nests/batch.h"
#include "layers/layers.h"

enum { NESTS_EMBEDDING = 16 /* channels of a word */ };

typedef struct nests_member {
    ag_param *table; /* [words, NESTS_EMBEDDING]; NULL: there are no words */
    ag_linear_layer layer[NESTS_MOST_LAYERS], output; /* no bias of the output: items are only
                                                         compared */
} nests_member;

typedef struct nests_model {
    int layers, members; /* members 0: there is no network */
    double dropout;
    nests_scale scale;
    ag_params *params;
    nests_member member[NESTS_MOST_MEMBERS];
    harness_trees trees; /* all sets; leaves are divided by the number of sets, so that sums are
                            means; count 0: none */
    double share;        /* of the trees in a score */
} nests_model;

/* Declares the network's parameters and makes room for scale and trees. columns, words: of a row;
   absolute: as in nests_maker.
   Start from {0}; always free it. Fails: AG_EUSE. */
ag_status nests_model_add(nests_model *model, ag_params *params, const nests_settings *settings,
                          int columns, int words, bool absolute, ag_failure *why);
void nests_model_free(nests_model *model); /* except the parameters */

/* The score of one network less the batch's base, [items]: ln of the mean of exp(f), weighted by
   work. */
ag_tensor *nests_forward_member(const nests_model *model, int member, ag_tape *tape,
                                const nests_batch *batch);
/* The mean of all networks. */
ag_tensor *nests_forward(const nests_model *model, ag_tape *tape, const nests_batch *batch);

/* loss.c: the sum of the losses of all networks, with the settings' weights; without a network, the
   loss of the trees, which no step changes. Scores are relative to the batch's base. */
ag_tensor *nests_loss_of_members(const nests_model *model, ag_tape *tape, const nests_batch *batch,
                                 bool absolute, const nests_settings *settings);

/* trees.c: fits the trees to the training items. A build without libxgboost fails: AG_EUSE. Fails:
   AG_EMEMORY, AG_EDATA, AG_ESTOPPED. */
ag_status nests_trees_fit(nests_model *model, const nests_set *set, const nests_settings *settings,
                          ag_failure *why);
/* value [items]: as nests_forward, by the trees. */
void nests_trees_score(double *value, const nests_model *model, const nests_batch *batch);

#endif
