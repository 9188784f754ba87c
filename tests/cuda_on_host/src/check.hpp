/* SPDX-License-Identifier: MIT */
/* The checker: it knows of each word of memory who wrote it last and who read it, and whether it
   was ever written. */
#ifndef CUDA_ON_HOST_CHECK_HPP
#define CUDA_ON_HOST_CHECK_HPP

#include "inside.hpp"

namespace cuda_on_host
{

enum access_kind : uint8_t { NO_ACCESS, PLAIN, ATOMIC };

/* Who touched a word, and how far all had come then. */
struct access {
    uint32_t launch, block;
    uint16_t thread, warp_epoch, lane_clock, block_epoch;
    access_kind kind;
    uint8_t bytes; /* of the word, a bit each */
};

extern bool checking; /* a device is mapped, and CUDA_ON_HOST_CHECK is not 0 */

/* A memory access of the thread that runs was seen. */
void look(const void *p, size_t bytes, bool writes, access_kind kind, void *pc);

/* check_count.cpp: whether bytes are counted, and that the work that is carried out moves bytes;
   again: it moved them before. */
extern bool counting;
void count_access(size_t bytes, bool writes, bool again);

/* check_report.cpp: something is wrong with the access that is made now; `other` is the one that it
   does not go with, NULL: none. */
void bad(const char *what, void *pc, const access *other);

} // namespace cuda_on_host

#endif
