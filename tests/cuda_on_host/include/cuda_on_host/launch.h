/* SPDX-License-Identifier: MIT */
/* How kernels, and the work of libraries, get into a stream. */
#ifndef CUDA_ON_HOST_LAUNCH_H
#define CUDA_ON_HOST_LAUNCH_H

#include "cuda_on_host/api.h"

#include <functional>
#include <memory>
#include <tuple>
#include <type_traits>
#include <utility>

namespace cuda_on_host
{

/* The name, for messages, of the kernel that is launched next (a string that stays). */
void name_next(const char *kernel);

/* A kernel and its arguments: `call` passes the arguments on. */
struct bound_kernel {
    const void *function;
    void (*call)(const void *function, const void *arguments);
    std::shared_ptr<const void> arguments;
    size_t bytes; /* of them */
};
cudaError_t launch(const cudaLaunchConfig_t *config, const bound_kernel &kernel);

/* Memory that the launch gave to each block, in bytes; accesses beyond it are detected. */
void *dynamic_shared();

/* ---- for libraries ---- */

/* The work of a library waits in the stream as kernels do. Once started, it runs in one piece with
   access to the device's memory, and declares which ranges it reads and writes. */
cudaError_t enqueue(cudaStream_t stream, const char *name, std::function<void()> body);
void reads(const void *p, size_t bytes, const char *who);
void wrote(const void *p, size_t bytes);

/* Fills a library's own workspace, so that no older values survive there. */
void scribble(void *workspace, size_t bytes);

/* Prints the mistake, and in which kernel, block and thread; ends the process. */
[[noreturn]] void misuse(const char *format, ...) __attribute__((format(printf, 1, 2)));

} // namespace cuda_on_host

template <class... Wanted, class... Given>
cudaError_t cudaLaunchKernelEx(const cudaLaunchConfig_t *config, void (*kernel)(Wanted...),
                               Given &&...given)
{
    using values = std::tuple<std::decay_t<Wanted>...>;
    const auto call = [](const void *function, const void *arguments) {
        std::apply((void (*)(Wanted...))function, *(const values *)arguments);
    };
    return cuda_on_host::launch(
        config, {(const void *)kernel, call,
                 std::make_shared<const values>(std::forward<Given>(given)...), sizeof(values)});
}

#endif
