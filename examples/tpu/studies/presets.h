/* SPDX-License-Identifier: MIT */
#ifndef TPU_PRESETS_H
#define TPU_PRESETS_H

/* GNN-REDUCTION-TASK of Tables 6 and 7; each sets all values of its row. */
#define TPU_PRESETS                                                                          \
 "none|none-node-tile|none-column-tile|none-lstm-tile|none-transformer-tile|sage-node-tile|" \
 "sage-column-tile|sage-lstm-tile|sage-transformer-tile|gat-node-tile|gat-column-tile|"      \
 "gat-lstm-tile|gat-transformer-tile|none-node-fusion|none-column-fusion|none-lstm-fusion|"  \
 "none-transformer-fusion|sage-node-fusion|sage-column-fusion|sage-lstm-fusion|"             \
 "sage-transformer-fusion|gat-node-fusion|gat-column-fusion|gat-lstm-fusion|"                \
 "gat-transformer-fusion"

extern const char *const tpu_preset_settings[]; /* the settings of each preset; the first is NULL */

#endif
