/* SPDX-License-Identifier: MIT */
/* bench: measures how close the ops and the training step come to the limits of this machine. */
#include "bench.h"

#include "device.h"
#include "machine.h"
#include "onednn.h"
#include "probe.h"

#include <stdlib.h>
#include <string.h>

static const char usage[] =
    "usage: bench [--ops] [--gemm] [--steps] [--infer] [OPTIONS]\n"
    "Times products, ops, training steps and scoring against floors measured in the same run.\n"
    "Without a part named, all four run.\n\n"
    "  --only NAME     rows whose name or shape has NAME in it: \"instance\", \"step 32x1000\"\n"
    "  --rounds N      timings of a row, 1 to 100 (15; steps with --peer: 7)\n"
    "  --threads N     threads (all)\n"
    "  --peer PYTHON   the same step in PyTorch and PyG, in turn; PYTHON has both installed\n"
    "  --forms LIST    forms of the peer, with commas between (all): pyg,best\n"
    "  --profile       a table of kernels below each step and op\n"
    "  --json FILE     the rows as JSON, too\n"
    "  --device cuda   ops and steps on the GPU; floors are of products and copies there\n"
    "  --precision P   fp32 (the default) or tf32: of products on the GPU\n"
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

/* The CPU has no products in tf32. */
static int parse_precision(const bench_options *o)
{
    if (strcmp(o->precision, "fp32") == 0) return 0;
    if (strcmp(o->precision, "tf32") != 0) return wrong("not fp32 or tf32:", o->precision);
    if (bench_device == AG_CPU) return wrong("only --device cuda has products in", o->precision);
    bench_precision = AG_TF32;
    return 0;
}

/* On a device there are ops and steps, and no peer to compare them with. */
static int parse_device(bench_options *o)
{
    if (strcmp(o->device, "cpu") == 0) return 0;
    if (strcmp(o->device, "cuda") != 0) return wrong("not cpu or cuda:", o->device);
    if (o->gemm || o->infer || o->peer)
        return wrong("ops and steps run there, and no other part and no peer:", "--device cuda");
    bench_device = AG_CUDA;
    if (!o->ops && !o->steps) o->ops = o->steps = 1;
    return 0;
}

/* 0: filled; 2: an error has been printed. */
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
        {"--infer", &o->infer, NULL, NULL, 0},
        {"--profile", &o->profile, NULL, NULL, 0},
        {"--only", NULL, &o->only, NULL, 0},
        {"--peer", NULL, &o->peer, NULL, 0},
        {"--forms", NULL, &o->forms, NULL, 0},
        {"--device", NULL, &o->device, NULL, 0},
        {"--precision", NULL, &o->precision, NULL, 0},
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
    if (o->device && parse_device(o)) return 2;
    if (o->precision && parse_precision(o)) return 2;
    if (!o->ops && !o->gemm && !o->steps && !o->infer) o->ops = o->gemm = o->steps = o->infer = 1;
    return 0;
}

/* Writes the head, then the measurements. */
static int write_json(const char *path, json_t *machine, json_t *rows)
{
    json_object_set_new(machine, "fma_gflops", json_real(bench_best.fma * 1e-9));
    json_object_set_new(machine, "copy_gbs", json_real(bench_best.copy * 1e-9));
    json_object_set_new(machine, "peer", bench_machine_peer(rows));
    json_object_set(machine, "rows", rows);
    const int bad = json_dump_file(machine, path, JSON_INDENT(1) | JSON_REAL_PRECISION(6)) != 0;
    if (bad) fprintf(stderr, "bench: %s cannot be written.\n", path);
    return bad;
}

static int run_parts(const bench_options *o, json_t *rows)
{
    /* The steps come first: they look at how resident memory grows. */
    if (o->steps && (bench_steps(o, rows) || bench_tpus(o, rows) || bench_tpgnns(o, rows)))
        return 1;
    if (o->infer && bench_infer(o, rows)) return 1;
    if (o->gemm && bench_gemm(o, rows)) return 1;
    return o->ops && bench_ops(o, rows);
}

static void print_peer(const json_t *rows)
{
    json_t *peer = bench_machine_peer(rows), *value;
    const char *key;
    if (json_is_object(peer)) printf("\npeer:");
    json_object_foreach(peer, key, value) printf(" %s %s", key, json_string_value(value));
    if (json_is_object(peer)) printf("\n");
    json_decref(peer);
}

int main(int argc, char **argv)
{
    bench_options options = {0};
    bench_onednn_asleep(argv);
    if (argc == 2 && strcmp(argv[1], "--help") == 0) {
        fputs(usage, stdout);
        return 0;
    }
    if (parse(&options, argc, argv)) return 2;
    if (options.threads) ag_set_threads(options.threads);
    if (options.quick) bench_quick_probes();
    if (options.quick) bench_device_quick();
    const int closed = bench_device_open();
    if (closed) return closed;
    bench_onednn_limit(ag_threads());
    json_t *rows = json_array(), *machine = bench_machine_json();
    bench_machine_print(machine, options.quick ? 1 : 20);
    int bad = run_parts(&options, rows);
    if (!bad) {
        print_peer(rows);
        printf("\nprobes at best: %.1f GFLOP/s, %.1f GB/s\n", bench_best.fma * 1e-9,
               bench_best.copy * 1e-9);
    }
    if (!bad && options.json_path) bad = write_json(options.json_path, machine, rows);
    json_decref(machine);
    json_decref(rows);
    return bad;
}
