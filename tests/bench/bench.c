/* SPDX-License-Identifier: MIT */
/* bench: how close the ops and the training step come to what this machine can do. */
#include "bench.h"

#include "probe.h"

#include <stdlib.h>
#include <string.h>

#if defined(AG_BENCH_DNNL)
# include <dnnl.h>
#endif

static const char usage[] =
    "usage: bench [--ops] [--gemm] [--steps] [OPTIONS]\n"
    "Times products, ops and training steps against floors measured in the same run.\n"
    "Without a part named, all three run.\n\n"
    "  --only NAME     rows whose name or shape has NAME in it: \"instance\", \"step 32x1000\"\n"
    "  --rounds N      timings of a row, 1 to 100 (15; steps with --peer: 7)\n"
    "  --threads N     threads (all)\n"
    "  --peer PYTHON   the same step in PyTorch and PyG, in turn; PYTHON has both installed\n"
    "  --profile       a table of kernels below each step and op\n"
    "  --json FILE     the rows as JSON, too\n"
    "  --quick         small shapes, one round: checks the bench itself, measures nothing\n"
    "  --help          this text\n\n"
    "On a busy machine: chrt -f 5 bench ... (docs/bench.md).\n";

static int wrong(const char *what, const char *value)
{
    fprintf(stderr, "bench: %s \"%s\"; see bench --help.\n", what, value);
    return 2;
}

static int number(int *to, const char *text, int most)
{
    char *end;
    const long n = strtol(text, &end, 10);
    if (*end || end == text || n < 1 || n > most) return wrong("not a number in its range:", text);
    *to = (int)n;
    return 0;
}

/* 0: filled; 2: told what is wrong. */
static int parse(bench_options *o, int argc, char **argv)
{
    const struct {
        const char *name;
        int *flag;
        const char **text;
        int *number, most;
    } table[] = {
        {"--quick", &o->quick, NULL, NULL, 0},
        {"--ops", &o->ops, NULL, NULL, 0},
        {"--gemm", &o->gemm, NULL, NULL, 0},
        {"--steps", &o->steps, NULL, NULL, 0},
        {"--profile", &o->profile, NULL, NULL, 0},
        {"--only", NULL, &o->only, NULL, 0},
        {"--peer", NULL, &o->peer, NULL, 0},
        {"--json", NULL, &o->json_path, NULL, 0},
        {"--rounds", NULL, NULL, &o->rounds, BENCH_MOST_ROUNDS},
        {"--threads", NULL, NULL, &o->threads, 1024},
    };
    const size_t known = sizeof table / sizeof *table;
    for (int i = 1; i < argc; i++) {
        size_t k = 0;
        while (k < known && strcmp(table[k].name, argv[i]) != 0) k++;
        if (k == known) return wrong("unknown option", argv[i]);
        if (table[k].flag) {
            *table[k].flag = 1;
            continue;
        }
        if (++i == argc) return wrong("no value behind", argv[i - 1]);
        if (table[k].text) *table[k].text = argv[i];
        if (table[k].number && number(table[k].number, argv[i], table[k].most)) return 2;
    }
    if (!o->ops && !o->gemm && !o->steps) o->ops = o->gemm = o->steps = 1;
    return 0;
}

static const char *processor(char text[128])
{
    char line[256];
    FILE *file = fopen("/proc/cpuinfo", "r");
    snprintf(text, 128, "unknown processor");
    while (file && fgets(line, sizeof line, file)) {
        const char *colon = strchr(line, ':');
        if (strncmp(line, "model name", 10) != 0 || !colon) continue;
        snprintf(text, 128, "%.120s", colon + 2);
        text[strcspn(text, "\n")] = 0;
        break;
    }
    if (file) fclose(file);
    return text;
}

#if defined(__clang__)
# define COMPILER "clang " __clang_version__
#else
# define COMPILER "gcc " __VERSION__
#endif
#if defined(__AVX512F__)
# define ISA "AVX-512"
#elif defined(__FMA__)
# define ISA "AVX2 and FMA"
#else
# define ISA "no FMA"
#endif

static const char *product_text(char text[64])
{
#if !defined(AG_BENCH_DNNL)
    snprintf(text, 64, "built-in product");
#else
    const dnnl_version_t *v = dnnl_version();
    snprintf(text, 64, "oneDNN %d.%d.%d", v->major, v->minor, v->patch);
#endif
    return text;
}

/* The first probes: later rows raise the best rates when they see better ones. */
static void print_machine(int turns)
{
    char cpu[128], product[64];
    for (int i = 0; i < turns; i++) {
        bench_probe();
        bench_evict();
    }
    printf("%s, %d threads, %s, compiled by %s for %s\n", processor(cpu), ag_threads(),
           product_text(product), COMPILER, ISA);
    printf("probes: %.1f GFLOP/s of FMA in registers, %.1f GB/s of memcpy (64 MiB, read and "
           "written)\n",
           bench_best.fma * 1e-9, bench_best.copy * 1e-9);
}

static int write_json(const char *path, json_t *rows)
{
    char cpu[128], product[64];
    json_t *all = json_pack("{s:s, s:i, s:s, s:s, s:s, s:f, s:f, s:O}", "cpu", processor(cpu),
                            "threads", ag_threads(), "product", product_text(product), "compiler",
                            COMPILER, "isa", ISA, "fma_gflops", bench_best.fma * 1e-9, "copy_gbs",
                            bench_best.copy * 1e-9, "rows", rows);
    const int bad = !all || json_dump_file(all, path, JSON_INDENT(1) | JSON_REAL_PRECISION(6));
    if (bad) fprintf(stderr, "bench: %s cannot be written.\n", path);
    json_decref(all);
    return bad;
}

int main(int argc, char **argv)
{
    bench_options options = {0};
    if (argc == 2 && strcmp(argv[1], "--help") == 0) {
        fputs(usage, stdout);
        return 0;
    }
    if (parse(&options, argc, argv)) return 2;
    if (options.threads) ag_set_threads(options.threads);
    if (options.quick) bench_quick_probes();
    json_t *rows = json_array();
    print_machine(options.quick ? 1 : 20);
    /* The steps come first: they look at how resident memory grows. */
    int bad = options.steps && (bench_steps(&options, rows) || bench_tpus(&options, rows) ||
                                bench_tpgnns(&options, rows));
    if (!bad && options.gemm) bad = bench_gemm(&options, rows);
    if (!bad && options.ops) bad = bench_ops(&options, rows);
    if (!bad)
        printf("\nprobes at best: %.1f GFLOP/s, %.1f GB/s\n", bench_best.fma * 1e-9,
               bench_best.copy * 1e-9);
    if (!bad && options.json_path) bad = write_json(options.json_path, rows);
    json_decref(rows);
    return bad;
}
