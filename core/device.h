/* SPDX-License-Identifier: MIT */
/* The CUDA device. */
#ifndef AG_CORE_DEVICE_H
#define AG_CORE_DEVICE_H

#include "core/types.h"

#ifdef __cplusplus
extern "C" {
#endif

/* Makes the device ready, once; a tape on AG_CUDA does so itself. AG_OK, or AG_EDEVICE with the
   reason and a remedy. */
AG_API ag_status ag_device_open(ag_failure *why);

/* The facts of CUDA in this build and on this machine; needs no open device. */
typedef struct ag_device_about {
    int built;            /* version of CUDA that this is built for, such as 13000; 0: none */
    int on_host;          /* 1: the CUDA code runs on the CPU, for tests */
    int driver;           /* the newest version that the driver supports; 0: no driver */
    char name[256];       /* of the device; "": no device, and the rest is 0 */
    int major, minor;     /* its compute capability */
    size_t unused, bytes; /* of its memory; 0: not known */
} ag_device_about;
AG_API void ag_device_describe(ag_device_about *about);

#ifdef __cplusplus
}
#endif

#endif
