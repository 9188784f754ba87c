/* SPDX-License-Identifier: MIT */
/* A stand-in for libnccl.so.2, between processes of one machine. A message is a file in the folder
   that the unique id names. What is sent is read when the group ends; what is received comes while
   the caller asks for the state, so a move is not done when the group ends. */
#include <nccl.h>

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <string>
#include <vector>

struct message {
    ncclComm_t comm;
    int peer;
    void *to;         /* NULL: it is sent */
    const void *from; /* NULL: it is received */
    size_t bytes;
    cudaStream_t stream;
};

struct ncclComm {
    std::string folder;
    int rank;
    std::vector<int> sent, received; /* messages so far, of each rank */
    std::vector<message> awaited;
};

static std::vector<message> group;
static int depth;

static std::string path_of(const ncclComm *c, int from, int to, int number)
{
    return c->folder + "/" + std::to_string(from) + "-" + std::to_string(to) + "-" +
           std::to_string(number);
}

static ncclResult_t send_now(const message &m)
{
    std::vector<char> data(m.bytes);
    if (cudaMemcpyAsync(data.data(), m.from, m.bytes, cudaMemcpyDeviceToHost, m.stream))
        return ncclInvalidUsage;
    const std::string path = path_of(m.comm, m.comm->rank, m.peer, m.comm->sent[m.peer]++);
    FILE *f = fopen((path + "w").c_str(), "w");
    if (!f || fwrite(data.data(), 1, m.bytes, f) != m.bytes || fclose(f)) return ncclInvalidUsage;
    return rename((path + "w").c_str(), path.c_str()) ? ncclInvalidUsage : ncclSuccess;
}

/* In progress: it is not yet there. Another size than was sent is a mistake of the caller. */
static ncclResult_t receive_now(const message &m)
{
    std::vector<char> data(m.bytes + 1);
    const std::string path = path_of(m.comm, m.peer, m.comm->rank, m.comm->received[m.peer]);
    FILE *f = fopen(path.c_str(), "r");
    if (!f) return ncclInProgress;
    const size_t got = fread(data.data(), 1, m.bytes + 1, f);
    fclose(f);
    unlink(path.c_str());
    m.comm->received[m.peer]++;
    if (got != m.bytes ||
        cudaMemcpyAsync(m.to, data.data(), m.bytes, cudaMemcpyHostToDevice, m.stream))
        return ncclInvalidUsage;
    return ncclSuccess;
}

extern "C" {

ncclResult_t ncclGetUniqueId(ncclUniqueId *id)
{
    const char *folder = getenv("TMPDIR");
    snprintf(id->internal, sizeof id->internal, "%s/nccl-XXXXXX", folder ? folder : "/tmp");
    return mkdtemp(id->internal) ? ncclSuccess : ncclInvalidUsage;
}

/* A communicator that waits (blocking) is refused. */
ncclResult_t ncclCommInitRankConfig(ncclComm_t *comm, int count, ncclUniqueId id, int rank,
                                    ncclConfig_t *config)
{
    if (config->blocking || rank < 0 || rank >= count) return ncclInvalidUsage;
    const std::vector<int> none((size_t)count);
    *comm = new ncclComm{id.internal, rank, none, none, {}};
    return ncclInProgress;
}

ncclResult_t ncclCommAbort(ncclComm_t comm)
{
    rmdir(comm->folder.c_str()); /* by the last one, since it is empty then */
    delete comm;
    return ncclSuccess;
}

ncclResult_t ncclCommGetAsyncError(ncclComm_t comm, ncclResult_t *state)
{
    *state = ncclSuccess;
    while (!comm->awaited.empty() && *state == ncclSuccess) {
        *state = receive_now(comm->awaited.back());
        if (*state == ncclSuccess) comm->awaited.pop_back();
    }
    return ncclSuccess;
}

ncclResult_t ncclGroupStart(void)
{
    depth++;
    return ncclSuccess;
}

ncclResult_t ncclGroupEnd(void)
{
    ncclResult_t state = --depth ? ncclInvalidUsage : ncclSuccess;
    for (const message &m : group)
        if (m.from && state == ncclSuccess) state = send_now(m);
    for (const message &m : group)
        if (m.to) m.comm->awaited.insert(m.comm->awaited.begin(), m);
    const bool waits = !group.empty();
    group.clear();
    return state == ncclSuccess && waits ? ncclInProgress : state;
}

ncclResult_t ncclSend(const void *from, size_t count, ncclDataType_t, int to, ncclComm_t comm,
                      cudaStream_t stream)
{
    if (depth != 1 || to == comm->rank) return ncclInvalidUsage;
    group.push_back({comm, to, NULL, from, count, stream});
    return ncclSuccess;
}

ncclResult_t ncclRecv(void *to, size_t count, ncclDataType_t, int from, ncclComm_t comm,
                      cudaStream_t stream)
{
    if (depth != 1 || from == comm->rank) return ncclInvalidUsage;
    group.push_back({comm, from, to, NULL, count, stream});
    return ncclSuccess;
}

const char *ncclGetErrorString(ncclResult_t result)
{
    return result == ncclInvalidUsage ? "invalid usage" : "no error";
}
}
