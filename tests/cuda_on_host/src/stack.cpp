/* SPDX-License-Identifier: MIT */
#include "stack.hpp"

#include "inside.hpp"

#include <sys/mman.h>

#include <vector>

#if defined(__x86_64__)
__asm__(R"(
    .text
    .globl cuda_on_host_switch
    .type cuda_on_host_switch, @function
cuda_on_host_switch:
    push %rbx
    push %rbp
    push %r12
    push %r13
    push %r14
    push %r15
    mov %rsp, (%rdi)
    mov %rsi, %rsp
    pop %r15
    pop %r14
    pop %r13
    pop %r12
    pop %rbp
    pop %rbx
    ret
    .size cuda_on_host_switch, . - cuda_on_host_switch
)");
enum { SAVED = 6, ENTRY = 6, FRAME = 8 }; /* words: registers, then where to return to */
#elif defined(__aarch64__)
__asm__(R"(
    .text
    .globl cuda_on_host_switch
    .type cuda_on_host_switch, %function
cuda_on_host_switch:
    stp x29, x30, [sp, #-160]!
    stp x19, x20, [sp, #16]
    stp x21, x22, [sp, #32]
    stp x23, x24, [sp, #48]
    stp x25, x26, [sp, #64]
    stp x27, x28, [sp, #80]
    stp d8, d9, [sp, #96]
    stp d10, d11, [sp, #112]
    stp d12, d13, [sp, #128]
    stp d14, d15, [sp, #144]
    mov x9, sp
    str x9, [x0]
    mov sp, x1
    ldp x19, x20, [sp, #16]
    ldp x21, x22, [sp, #32]
    ldp x23, x24, [sp, #48]
    ldp x25, x26, [sp, #64]
    ldp x27, x28, [sp, #80]
    ldp d8, d9, [sp, #96]
    ldp d10, d11, [sp, #112]
    ldp d12, d13, [sp, #128]
    ldp d14, d15, [sp, #144]
    ldp x29, x30, [sp], #160
    ret
    .size cuda_on_host_switch, . - cuda_on_host_switch
)");
enum { ENTRY = 1, FRAME = 20 };
#else
# error "cuda_on_host switches stacks only on x86-64 and aarch64."
#endif

namespace cuda_on_host
{

void *stack_for(char *end, void (*entry)())
{
    void **frame = (void **)(void *)end - FRAME; /* on x86-64 one word more: as after a call */
    for (int i = 0; i < FRAME; i++) frame[i] = nullptr;
    frame[ENTRY] = (void *)entry;
    return frame;
}

static char *stacks;
static std::vector<int> unused;

static void make_stacks()
{
    const size_t each = STACK_BYTES + PAGE, all = MOST_THREADS * each;
    stacks = (char *)mmap(nullptr, all, PROT_READ | PROT_WRITE,
                          MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    if (stacks == MAP_FAILED) misuse("there is no memory for %zu bytes of stacks", all);
    for (int i = MOST_THREADS - 1; i >= 0; i--) {
        mprotect(stacks + (size_t)i * each, PAGE, PROT_NONE);
        unused.push_back(i);
    }
}

int take_stack()
{
    if (!stacks) make_stacks();
    const int stack = unused.back();
    unused.pop_back();
    return stack;
}

void give_stack(int stack) { unused.push_back(stack); }

char *stack_at(int stack) { return stacks + (size_t)stack * (STACK_BYTES + PAGE) + PAGE; }

} // namespace cuda_on_host
