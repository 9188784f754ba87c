/* SPDX-License-Identifier: MIT */
/* The sentences of a device that cannot be opened or that fails. */
#include "core/cuda/device.h"
#include "core/internal.h"

const char *ag__device_name(ag_device device) { return device == AG_CPU ? "CPU" : "CUDA device"; }

enum { OLD_DRIVER = 35, NO_DEVICE = 100, NO_CODE = 209 }; /* CUDA's numbers */

const char *ag__device_reason(char text[400], int error, int built, const char *name, int major,
                              int minor, const char *meaning)
{
    const char *other = "or choose the CPU as the device";
    switch (error) {
    case OLD_DRIVER:
        snprintf(
            text, 300,
            "There is no NVIDIA driver, or one older than CUDA %d.%d, for which this version is "
            "built; install a newer driver, %s",
            built / 1000, built % 1000 / 10, other);
        break;
    case NO_DEVICE:
        snprintf(text, 300,
                 "The driver finds no CUDA device; look at nvidia-smi and CUDA_VISIBLE_DEVICES, %s",
                 other);
        break;
    case NO_CODE:
        snprintf(text, 400,
                 "The CUDA device \"%.60s\" has compute capability %d.%d, for which this version "
                 "has no code; configure with -DCMAKE_CUDA_ARCHITECTURES=%d%d, %s",
                 name, major, minor, major, minor, other);
        break;
    default:
        snprintf(text, 400,
                 "The CUDA device cannot be opened: %.120s (error %d); look at nvidia-smi, %s",
                 meaning, error, other);
    }
    return text;
}

const char *ag__device_full(char text[400], const char *what, size_t bytes, size_t unused)
{
    char of[60] = "";
    if (bytes) snprintf(of, sizeof of, "the %zu bytes of ", bytes);
    snprintf(
        text, 400,
        "The CUDA device has no memory for %s%.80s: %zu bytes are free; end other programs that "
        "use it, take less per step, or choose the CPU as the device",
        of, what, unused);
    return text;
}

const char *ag__device_sentence(char text[400], const char *last, const char *meaning, int waited)
{
    if (waited)
        snprintf(text, 400,
                 "The CUDA device failed in \"%.60s\": %.120s; choose the CPU as the device", last,
                 meaning);
    else
        snprintf(text, 400,
                 "The CUDA device failed in or before \"%.60s\": %.120s; run again with "
                 "AUGUR_CUDA_WAIT=1 to name the kernel, or choose the CPU as the device",
                 last, meaning);
    return text;
}
