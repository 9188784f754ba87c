/* SPDX-License-Identifier: MIT */
/* The TPU model in float (ag__tpu) and in double (ag64__tpu), with an interface of plain doubles;
   both are tests/both/tpu_runner.c. */
#ifndef AG_TESTS_TPU_RUNNER_H
#define AG_TESTS_TPU_RUNNER_H

#include "examples/tpu/program.h"

enum { TPU_WHY = 480 };

/* The samples of a batch. */
typedef struct tpu_samples {
    const tpu_sample *sample;
    int count;
    const tpu_scaler *scaler;
} tpu_samples;

/* A model with its tape and batch. */
typedef struct tpu_net tpu_net;

/* Functions with `why` leave it "" when all went well, else a sentence. */
typedef struct tpu_api {
    const char *name;
    tpu_net *(*create)(const tpu_options *options, double offset, uint64_t seed,
                       char why[TPU_WHY]); /* NULL: failed */
    void (*destroy)(tpu_net *net);
    void (*fit)(tpu_net *net, const tpu_data *data); /* the scale of its rows */

    int (*params)(const void *net);
    const char *(*param)(const void *net, int index, int64_t *count); /* its name */
    void (*set)(void *net, int index, const double *value);
    void (*value)(const void *net, int index, double *out);
    void (*gradient)(const void *net, int index, double *out);

    /* Without dropout, as prediction does. */
    void (*scores)(tpu_net *net, const tpu_samples *samples, double *score, char why[TPU_WHY]);
    /* tpu_loss with its gradients, in training; the scores unless that is NULL. */
    double (*loss)(tpu_net *net, const tpu_samples *samples, int kind, double margin, double *score,
                   char why[TPU_WHY]);
    /* ag_gradcheck of a smooth loss of about 10; leaves its gradients. */
    double (*gradcheck)(tpu_net *net, const tpu_samples *samples, double step, uint64_t seed,
                        char where[200]);
} tpu_api;

extern const tpu_api ag__tpu, ag64__tpu;

#endif
