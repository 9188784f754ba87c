/* SPDX-License-Identifier: MIT */
#ifndef AG_CORE_IO_SAVE_INTERNAL_H
#define AG_CORE_IO_SAVE_INTERNAL_H

#include "core/io/io.h"

/* Whether a call failed with this error because the file system does not have it, and not because
   the disk is full or broken; what (AG_LACKS_...) is noted then. refused: file systems also say so
   with EPERM, EACCES, EBADF and EISDIR. */
int ag__save_lacks(int what, int error, int refused);

#endif
