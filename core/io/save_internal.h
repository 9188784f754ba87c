/* SPDX-License-Identifier: MIT */
#ifndef AG_CORE_IO_SAVE_INTERNAL_H
#define AG_CORE_IO_SAVE_INTERNAL_H

#include "core/io/io.h"

/* Whether a call failed with this error because the file system lacks the call, and not because the
   disk is full or broken; `what` (AG_LACKS_...) is then noted. refused 1: EPERM, EACCES, EBADF and
   EISDIR also count as a lack. */
int ag__save_lacks(int what, int error, int refused);

#endif
