/* SPDX-License-Identifier: MIT */
/* The mean of shards that several ranks have added. Each rank has the sums of its own shards. Rank
   r gets one slice of the sums of all ranks, adds them in the tree's order, and sends the mean to
   the others. */
#include "core/cuda/device.h"
#include "core/error.h"
#include "core/memory.h"
#include "optim/shards.h"

enum { SLICED = 16 }; /* a slice has a multiple of so many numbers */

/* The sums that shards first..end-1 leave, and their number. */
static int subtrees(ag__subtree *to, int64_t first, int64_t end)
{
    int n = 0;
    for (int64_t size; first < end; first += size) {
        size = 1;
        while (first % (2 * size) == 0 && first + 2 * size <= end) size *= 2;
        to[n++] = (ag__subtree){.first = first, .size = size};
    }
    return n;
}

static int subtrees_of(ag__subtree *to, const ag_shards *s, int rank)
{
    int64_t first, end;
    ag_ranks_share(&first, &end, s->own.shards, rank, s->ranks->count);
    return subtrees(to, first, end);
}

/* Slice r begins here; that of rank count, at the end. */
static int64_t slice_of(const ag_shards *s, int r)
{
    const int64_t n = s->own.n, count = s->ranks->count;
    const int64_t size = ((n + count - 1) / count + SLICED - 1) / SLICED * SLICED;
    return size * r < n ? size * r : n;
}

/* ---- what moves ---- */

/* The same place of a mirror in the host's memory. */
static ag_ranks_part mirrored(ag_ranks_part x, const void *base, void *host)
{
    return (ag_ranks_part){x.bytes ? (char *)host + ((char *)x.at - (const char *)base) : NULL,
                           x.bytes};
}

/* Between devices directly, or through `host`, a mirror of what is at `base`. */
static ag_status move(ag_shards *s, const void *base, void *host, const ag_ranks_part *out,
                      const ag_ranks_part *in, const char *what, ag_failure *why)
{
    ag_ranks *ranks = s->ranks;
    if (s->own.device == AG_CPU) return ranks->exchange(ranks, out, in, what, why);
    if (ranks->exchange_device) return ranks->exchange_device(ranks, out, in, what, why);
    ag_ranks_part *out_here = s->part + 2 * ranks->count, *in_here = out_here + ranks->count;
    for (int r = 0; r < ranks->count; r++) {
        out_here[r] = mirrored(out[r], base, host);
        in_here[r] = mirrored(in[r], base, host);
        if (r != ranks->rank) ag__device_download(out_here[r].at, out[r].at, out[r].bytes);
    }
    const ag_status status = ranks->exchange(ranks, out_here, in_here, what, why);
    for (int r = 0; r < ranks->count && !status; r++)
        if (r != ranks->rank) ag__device_upload(in[r].at, in_here[r].at, in[r].bytes);
    return status ? status : ag__device_failed(why);
}

/* Writes the slices for rank r of all sums of this rank, one after the other. */
static void pack(ag_real *to, const ag_shards *s, int r)
{
    const int64_t from = slice_of(s, r), n = slice_of(s, r + 1) - from;
    const size_t bytes = (size_t)n * sizeof *to;
    for (int k = 0; k < s->own.depth; k++, to += n)
        ag__shards_copy(&s->own, to, s->own.at[k].sum + from, bytes);
}

/* Memory for the sums of all ranks, and how much of it is sent. */
static ag_status reserve(ag_real **send, ag_real **receive, ag_shards *s, ag_failure *why)
{
    ag__subtree tree[AG__SHARDS_DEPTH];
    const int me = s->ranks->rank;
    const int64_t mine = slice_of(s, me + 1) - slice_of(s, me);
    int64_t out = s->own.depth * s->own.n, in = 0;
    for (int r = 0; r < s->ranks->count; r++) in += subtrees_of(tree, s, r) * mine;
    const size_t bytes = (size_t)(out + in) * sizeof **send;
    const int mirrors = s->own.device != AG_CPU && !s->ranks->exchange_device;
    if (!s->buffer) s->buffer = ag__shards_take(&s->own, bytes);
    if (!s->host && mirrors) s->host = ag_alloc(bytes);
    if (!s->part) s->part = ag_alloc(4 * (size_t)s->ranks->count * sizeof *s->part);
    if (!s->buffer || (!s->host && mirrors) || !s->part)
        return ag_fail(
            why, AG_EMEMORY,
            "ag_shards_mean: there is no memory for %zu bytes, sums of other ranks; take "
            "fewer ranks",
            bytes);
    *send = s->buffer;
    *receive = s->buffer + out;
    return AG_OK;
}

/* ---- the three parts ---- */

/* The sums of the slice from all ranks. */
static ag_status collect(ag_real *send, ag_real *receive, ag_shards *s, ag_ranks_part *out,
                         ag_ranks_part *in, ag_failure *why)
{
    ag__subtree tree[AG__SHARDS_DEPTH];
    const int me = s->ranks->rank;
    const int64_t mine = slice_of(s, me + 1) - slice_of(s, me);
    for (int r = 0; r < s->ranks->count; r++) {
        const size_t sent = (size_t)(s->own.depth * (slice_of(s, r + 1) - slice_of(s, r))),
                     got = (size_t)(subtrees_of(tree, s, r) * mine);
        pack(r == me ? receive : send, s, r);
        out[r] = (ag_ranks_part){send, sent * sizeof *send};
        in[r] = (ag_ranks_part){receive, got * sizeof *receive};
        send += sent;
        receive += got;
    }
    return move(s, s->buffer, s->host, out, in, "the sum of the gradients", why);
}

/* Adds them in the order of the shards. */
static ag_status add_slices(ag_shards *s, const ag_ranks_part *in, ag_failure *why)
{
    ag__subtree tree[AG__SHARDS_DEPTH];
    const int me = s->ranks->rank;
    s->slice.n = slice_of(s, me + 1) - slice_of(s, me);
    for (int r = 0; r < s->ranks->count; r++) {
        ag_real *sum = in[r].at;
        const int n = subtrees_of(tree, s, r);
        for (int k = 0; k < n; k++, sum += s->slice.n) {
            tree[k].sum = sum;
            if (ag__shards_push(&s->slice, tree[k], why)) return AG_EMEMORY;
        }
    }
    return AG_OK;
}

/* Each rank sends its slice of the mean to all others. */
static ag_status share(ag_shards *s, ag_ranks_part *out, ag_ranks_part *in, ag_failure *why)
{
    ag_real *to = ag__params_gradient(s->params), *mine = to + slice_of(s, s->ranks->rank);
    const size_t bytes = (size_t)s->slice.n * sizeof *mine;
    if (bytes) ag__shards_copy(&s->slice, mine, ag__shards_finish(&s->slice), bytes);
    for (int r = 0; r < s->ranks->count; r++) {
        const int64_t from = slice_of(s, r), n = slice_of(s, r + 1) - from;
        out[r] = (ag_ranks_part){mine, bytes};
        in[r] = (ag_ranks_part){to + from, (size_t)n * sizeof *to};
    }
    return move(s, to, s->params->gradient, out, in, "the mean of the gradients", why);
}

ag_status ag__shards_exchange(ag_shards *s, ag_failure *why)
{
    ag_real *send, *receive;
    ag_status status = reserve(&send, &receive, s, why);
    if (status) return status;
    ag_ranks_part *out = s->part, *in = out + s->ranks->count;
    status = collect(send, receive, s, out, in, why);
    if (!status) status = add_slices(s, in, why);
    return status ? status : share(s, out, in, why);
}
