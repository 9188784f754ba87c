/* SPDX-License-Identifier: MIT */
/* core: errors, shapes, memory, random numbers, threads, the device and parameter storage. This
   header is for users; the library's own files include the headers below one by one. */
#ifndef AG_CORE_H
#define AG_CORE_H

#include "core/device.h"
#include "core/error.h"
#include "core/memory.h"
#include "core/params.h"
#include "core/random.h"
#include "core/shape.h"
#include "core/sort.h"
#include "core/threads.h"

#endif
