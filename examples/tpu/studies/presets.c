/* SPDX-License-Identifier: MIT */
/* The models of Tables 6 (tile) and 7 (fusion), by name. The rest of Table 5 is the default. */
#include "examples/tpu/studies/presets.h"

#include <stddef.h>

/* The values of Table 5 that all presets share. */
#define TABLE5 "embedding=256 "

const char *const tpu_preset_settings[] = {
    NULL,
    /* Table 6 */
    TABLE5 "gnn=none reduction=node hidden=512 module-l2=false module-layers=3 "
           "learning-rate=0.000802 decay-rate=1 clip=0 dropout=0.1 loss=hinge",
    TABLE5 "gnn=none reduction=column hidden=1024 module-l2=false module-layers=3 "
           "learning-rate=0.000642 decay-rate=1 clip=0 dropout=0.1 loss=hinge",
    TABLE5 "gnn=none reduction=lstm hidden=512 module-l2=false module-layers=0 "
           "learning-rate=0.000434 decay-rate=0.99 clip=1 dropout=0.1 loss=hinge",
    TABLE5 "gnn=none reduction=transformer hidden=1024 module-l2=false module-layers=0 "
           "encoder-layers=3 learning-rate=0.000424 decay-rate=0.99 clip=1 dropout=0.1 loss=hinge",
    TABLE5 "gnn=sage reduction=node hidden=512 module-l2=false module-layers=0 "
           "learning-rate=0.001526 decay-rate=1 clip=0 dropout=0.1 loss=hinge",
    TABLE5 "gnn=sage reduction=column hidden=1024 module-l2=false module-layers=0 "
           "learning-rate=0.000642 decay-rate=1 clip=0 dropout=0.1 loss=logistic",
    TABLE5 "gnn=sage reduction=lstm hidden=1024 module-l2=false module-layers=0 "
           "learning-rate=0.000386 decay-rate=0.98 clip=1 dropout=0.1 loss=hinge",
    TABLE5 "gnn=sage reduction=transformer hidden=1024 module-l2=false module-layers=0 "
           "encoder-layers=1 learning-rate=0.000466 decay-rate=1 clip=1 dropout=0.1 loss=hinge",
    TABLE5 "gnn=gat reduction=node hidden=512 module-l2=false module-layers=0 heads=2 "
           "learning-rate=0.00001 decay-rate=1 clip=1 dropout=0.1 loss=hinge",
    TABLE5 "gnn=gat reduction=column hidden=512 module-l2=false module-layers=0 heads=4 "
           "learning-rate=0.00001 decay-rate=1 clip=1 dropout=0.1 loss=hinge",
    TABLE5 "gnn=gat reduction=lstm hidden=512 module-l2=false module-layers=0 heads=4 "
           "learning-rate=0.00001 decay-rate=0.99 clip=1 dropout=0.1 loss=hinge",
    TABLE5 "gnn=gat reduction=transformer hidden=512 module-l2=false module-layers=0 "
           "encoder-layers=2 heads=4 learning-rate=0.00001 decay-rate=1 clip=1 dropout=0.1 "
           "loss=hinge",
    /* Table 7 */
    TABLE5 "gnn=none reduction=node hidden=512 module-l2=false module-layers=3 "
           "learning-rate=0.000214 decay-rate=0.95 clip=0 dropout=0.2 loss=squared",
    TABLE5 "gnn=none reduction=column hidden=512 module-l2=false module-layers=3 "
           "learning-rate=0.000102 decay-rate=1 clip=0 dropout=0.25 loss=squared",
    TABLE5 "gnn=none reduction=lstm hidden=512 module-l2=false module-layers=0 "
           "learning-rate=0.000144 decay-rate=1 clip=0 dropout=0.25 loss=squared",
    TABLE5 "gnn=none reduction=transformer hidden=512 module-l2=true module-layers=0 "
           "encoder-layers=1 learning-rate=0.000862 decay-rate=1 clip=1 dropout=0.25 loss=squared",
    TABLE5 "gnn=sage reduction=node hidden=512 module-l2=false module-layers=0 "
           "learning-rate=0.000664 decay-rate=0.9 clip=0 dropout=0.2 loss=squared",
    TABLE5 "gnn=sage reduction=column hidden=1024 module-l2=false module-layers=0 "
           "learning-rate=0.000469 decay-rate=0.9 clip=0 dropout=0.2 loss=squared",
    TABLE5 "gnn=sage reduction=lstm hidden=1024 module-l2=false module-layers=0 "
           "learning-rate=0.000962 decay-rate=0.9 clip=0 dropout=0.2 loss=squared",
    TABLE5 "gnn=sage reduction=transformer hidden=512 module-l2=true module-layers=0 "
           "encoder-layers=2 learning-rate=0.000768 decay-rate=1 clip=0 dropout=0.2 loss=squared",
    TABLE5 "gnn=gat reduction=node hidden=1024 module-l2=false module-layers=0 heads=2 "
           "learning-rate=0.000002 decay-rate=0.9 clip=0 dropout=0.25 loss=squared",
    TABLE5 "gnn=gat reduction=column hidden=1024 module-l2=false module-layers=0 heads=2 "
           "learning-rate=0.000004 decay-rate=0.95 clip=0 dropout=0.2 loss=squared",
    TABLE5 "gnn=gat reduction=lstm hidden=1024 module-l2=false module-layers=0 heads=2 "
           "learning-rate=0.000006 decay-rate=0.95 clip=0 dropout=0.25 loss=squared",
    TABLE5 "gnn=gat reduction=transformer hidden=1024 module-l2=false module-layers=0 "
           "encoder-layers=2 heads=2 learning-rate=0.000001 decay-rate=1 clip=1 dropout=0.2 "
           "loss=squared",
};
