/* SPDX-License-Identifier: MIT */
/* CUDA_ON_HOST_COUNT=1: the bytes of device memory that each kernel, copy and library call reads
   and writes, as a table when the program ends. "asked" is the bytes that threads ask for, which
   memory would move without caches; "once" counts each word once per launch, as with caches that
   hold all of the launch. */
#include "check.hpp"

#include <stdio.h>
#include <stdlib.h>

#include <algorithm>
#include <map>
#include <vector>

namespace cuda_on_host
{

struct moved {
    uint64_t launches, read, written, read_once, written_once;
};
static std::map<std::string, moved> table;
static moved *row; /* of the work that is carried out */
bool counting;

static uint64_t all_of(const moved &m) { return m.read + m.written; }

static void print(const char *name, const moved &m)
{
    fprintf(stderr, "%-32s %8llu %14llu %14llu %14llu %14llu\n", name,
            (unsigned long long)m.launches, (unsigned long long)m.read,
            (unsigned long long)m.written, (unsigned long long)m.read_once,
            (unsigned long long)m.written_once);
}

static void print_table()
{
    std::vector<std::pair<std::string, moved>> rows(table.begin(), table.end());
    moved sum = {};
    std::sort(rows.begin(), rows.end(),
              [](const auto &a, const auto &b) { return all_of(a.second) > all_of(b.second); });
    fprintf(stderr, "%-32s %8s %14s %14s %14s %14s\n", "bytes of device memory", "launches",
            "read, asked", "written, asked", "read, once", "written, once");
    for (const auto &[name, m] : rows) {
        print(name.c_str(), m);
        sum.launches += m.launches;
        sum.read += m.read;
        sum.written += m.written;
        sum.read_once += m.read_once;
        sum.written_once += m.written_once;
    }
    print("all", sum);
}

extern "C" void cuda_on_host_check_begins(const char *work)
{
    static const bool wanted = option().count && !atexit(print_table);
    if (!wanted) return;
    row = &table[work];
    row->launches++;
    counting = true;
}

void count_access(size_t bytes, bool writes, bool again)
{
    if (!counting) return;
    (writes ? row->written : row->read) += bytes;
    if (!again) (writes ? row->written_once : row->read_once) += bytes;
}

} // namespace cuda_on_host
