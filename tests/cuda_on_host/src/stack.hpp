/* SPDX-License-Identifier: MIT */
/* Stacks of fibers. */
#ifndef CUDA_ON_HOST_STACK_HPP
#define CUDA_ON_HOST_STACK_HPP

/* Saves the registers of the caller, keeps its stack pointer in *from and continues where `to` was
   saved. */
extern "C" void cuda_on_host_switch(void **from, void *to);

namespace cuda_on_host
{

enum { STACK_BYTES = 256 << 10 };

/* A target of cuda_on_host_switch that starts `entry` on a stack that ends at `end`. */
void *stack_for(char *end, void (*entry)());

int take_stack(); /* a number */
void give_stack(int stack);
char *stack_at(int stack); /* its lowest byte; below it is a page that nobody may touch */

} // namespace cuda_on_host

#endif
