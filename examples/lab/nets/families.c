/* SPDX-License-Identifier: MIT */
/* The table of families. Builds programs by number, at the size that needs the wanted work. */
#include "examples/lab/nets/families.h"
#include "core/error.h"
#include "examples/lab/nets/net.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

enum { ATTEMPTS = 64, CONFIGURABLE_LEAST = 4 };

const lab_family lab_families[] = {
    {"mlp", "dense layers, some with skips and layer norm", lab_net_mlp},
    {"mixer", "MLP-Mixer: dense layers over patches and over channels", lab_net_mixer},
    {"alexnet", "convolutions, pooling and dense layers", lab_net_alexnet},
    {"resnet", "residual blocks: basic, bottleneck or separable", lab_net_resnet},
    {"inception", "parallel convolutions, concatenated", lab_net_inception},
    {"unet", "an encoder and a decoder with skips between them", lab_net_unet},
    {"wavenet", "dilated causal convolutions with gates", lab_net_wavenet},
    {"lstm", "LSTM or GRU cells, unrolled", lab_net_lstm},
    {"transformer", "encoder blocks with attention, causal or not", lab_net_transformer},
    {"attention", "embeddings and attention pooling, one or two towers", lab_net_pooling},
    {"recommender", "embedding tables, their products and dense layers", lab_net_recommender},
    {"autoencoder", "dense or of convolutions, some variational", lab_net_autoencoder},
};
const int lab_n_families = sizeof lab_families / sizeof *lab_families;

const lab_family *lab_family_find(const char *name)
{
    for (int i = 0; i < lab_n_families; i++)
        if (strcmp(lab_families[i].name, name) == 0) return &lab_families[i];
    return NULL;
}

static double build(lab_program *p, const lab_family *f, int number, int scale, uint64_t seed)
{
    lab_net net;
    lab_program_clear(p);
    snprintf(p->name, sizeof p->name, "%s_%d", f->name, number);
    snprintf(p->family, sizeof p->family, "%s", f->name);
    lab_net_start(&net, p, scale, seed);
    f->build(&net);
    return p->why.status == AG_OK ? lab_program_work(p) : INFINITY;
}

/* The largest scale whose work is at most `most`, by bisection; 0: none. Work grows with the scale,
   or nearly so. */
static int fitting(lab_program *p, const lab_family *f, int number, uint64_t seed, int64_t most)
{
    int low = 0, high = LAB_SCALE + 1;
    while (high - low > 1) {
        int middle = (low + high) / 2;
        if (build(p, f, number, middle, seed) <= most)
            low = middle;
        else
            high = middle;
    }
    return low;
}

ag_status lab_family_program(lab_program *p, const char *family, int number, double milliseconds,
                             ag_failure *why)
{
    const lab_family *f = lab_family_find(family);
    const int right = f && number >= 0 && milliseconds > 0 && milliseconds < 1e6;
    const int64_t most = right ? (int64_t)(milliseconds * LAB_WORK_PER_MS) : 0;
    lab_program_clear(p);
    for (int attempt = 0; attempt < ATTEMPTS && right; attempt++) {
        ag_random r = {(uint64_t)number << 8 | (uint64_t)attempt, 0x4c41464d, 0};
        for (const char *c = family; *c; c++) r.stream = r.stream * 31 + (unsigned char)*c;
        uint64_t seed = ag_random_bits(&r);
        seed = seed << 32 | ag_random_bits(&r);
        /* not always the limit: 45 to 100 % of it */
        const int64_t target = most * (45 + (int)ag_random_below(&r, 56)) / 100;
        const int scale = fitting(p, f, number, seed, target);
        const double work = scale ? build(p, f, number, scale, seed) : 0;
        if (scale && work >= most / 4 && work <= most &&
            lab_configurable_nodes(NULL, p) >= CONFIGURABLE_LEAST)
            return AG_OK;
    }
    lab_program_clear(p);
    return ag_fail(why, AG_EUSE,
                   "There is no program %d of family \"%s\" that takes %g ms; `lab families` names "
                   "the families, numbers start at 0, and all of them reach 0.2 to 20 ms",
                   number, family, milliseconds);
}
