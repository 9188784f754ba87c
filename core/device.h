/* SPDX-License-Identifier: MIT */
/* Opens and describes the CUDA device. */
#ifndef AG_CORE_DEVICE_H
#define AG_CORE_DEVICE_H

#include "core/types.h"

#ifdef __cplusplus
extern "C" {
#endif

/* The first call makes the device ready; a tape on AG_CUDA makes this call itself. Returns AG_OK,
   or AG_EDEVICE with the reason and a remedy. */
AG_API ag_status ag_device_open(ag_failure *why);

/* ag_device_describe reports the versions of CUDA and describes the device. It needs no open
   device. */
typedef struct ag_device_about {
    int built;        /* version of CUDA that the library is built for, such as 13000; 0: none */
    int on_host;      /* 1: the CUDA code runs on the CPU, for tests */
    int driver;       /* the newest version that the driver supports; 0: no driver */
    char name[256];   /* the device's name; "": no device, and the fields below are 0 */
    int major, minor; /* its compute capability */
    size_t unused, bytes; /* free bytes of its memory, and all bytes; 0: not known */
} ag_device_about;
AG_API void ag_device_describe(ag_device_about *about);

#ifdef __cplusplus
}
#endif

#endif
