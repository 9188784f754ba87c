/* SPDX-License-Identifier: MIT */
#define TILES ag__tiles_base
#include "core/tile_body.h"
