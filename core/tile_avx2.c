/* SPDX-License-Identifier: MIT */
#if defined(__x86_64__) && !defined(AG_DOUBLE)
# define TILES ag__tiles_avx2
# include "core/tile_body.h"
#else
typedef int nothing_here;
#endif
