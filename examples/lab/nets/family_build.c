/* SPDX-License-Identifier: MIT */
/* The table of families. */
#include "examples/lab/nets/families.h"
#include "examples/lab/nets/net.h"

#define FORWARD(name)                                         \
 static void name(lab_program *p, double size, uint64_t seed) \
 {                                                            \
  lab_net net;                                                \
  lab_net_start(&net, p, size, seed, 0);                      \
  lab_net_##name(&net);                                       \
 }

#define TRAINING(name)                                                \
 static void train_##name(lab_program *p, double size, uint64_t seed) \
 {                                                                    \
  lab_net net;                                                        \
  lab_net_start(&net, p, size, seed, 1);                              \
  int output = lab_net_##name(&net);                                  \
  lab_net_train(&net, lab_net_loss(&net, output));                    \
 }

FORWARD(mlp)
FORWARD(mixer)
FORWARD(alexnet)
FORWARD(resnet)
FORWARD(inception)
FORWARD(unet)
FORWARD(wavenet)
FORWARD(lstm)
FORWARD(transformer)
FORWARD(pooling)
FORWARD(recommender)
FORWARD(autoencoder)
TRAINING(mlp)
TRAINING(resnet)
TRAINING(unet)
TRAINING(lstm)
TRAINING(transformer)
TRAINING(autoencoder)

const lab_family lab_families[] = {
    {"mlp", "dense layers, some with skips and layer norm", mlp},
    {"mixer", "MLP-Mixer: dense layers over patches and over channels", mixer},
    {"alexnet", "convolutions, pooling and dense layers", alexnet},
    {"resnet", "residual blocks: basic, bottleneck or separable", resnet},
    {"inception", "parallel convolutions, concatenated", inception},
    {"unet", "an encoder and a decoder with skips between them", unet},
    {"wavenet", "dilated causal convolutions with gates", wavenet},
    {"lstm", "LSTM or GRU cells, unrolled", lstm},
    {"transformer", "encoder blocks with attention, causal or not", transformer},
    {"attention", "embeddings and attention pooling, one or two towers", pooling},
    {"recommender", "embedding tables, their products and dense layers", recommender},
    {"autoencoder", "dense or of convolutions, some variational", autoencoder},
    {"train_mlp", "a training step of mlp", train_mlp},
    {"train_resnet", "a training step of resnet", train_resnet},
    {"train_unet", "a training step of unet", train_unet},
    {"train_lstm", "a training step of lstm", train_lstm},
    {"train_transformer", "a training step of transformer", train_transformer},
    {"train_autoencoder", "a training step of autoencoder", train_autoencoder},
};
const int lab_n_families = sizeof lab_families / sizeof *lab_families;
