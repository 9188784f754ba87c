/* SPDX-License-Identifier: MIT */
/* Named groups of settings. */
#ifndef TPGNN_PRESETS_H
#define TPGNN_PRESETS_H

#define TPGNN_PRESETS "none|paper|paper-gcn"

extern const char *const tpgnn_preset_settings[];

#endif
