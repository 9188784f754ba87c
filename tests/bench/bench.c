/* SPDX-License-Identifier: MIT */
/* bench: times ops, compared with copies, and training steps, compared with PyTorch. */
#include "bench.h"

#include <stdlib.h>
#include <string.h>

static const char usage[] =
    "usage: bench [--ops] [--steps] [OPTIONS]\n"
    "Times ops, compared with copies of as many bytes, and training steps.\n"
    "Without a part named, both run.\n\n"
    "  --only NAME     rows whose name or shape has NAME in it: \"instance\", \"tgraph 32x1000\"\n"
    "  --rounds N      timings of a row, 1 to 100 (15; steps with --peer: 7)\n"
    "  --threads N     threads (all)\n"
    "  --peer PYTHON   the same step in PyTorch and PyG, in turn; PYTHON has both installed\n"
    "  --profile       a table of kernels below each step and op\n"
    "  --json FILE     the rows as JSON, too\n"
    "  --device cuda   ops and steps on the GPU\n"
    "  --precision P   fp32 (the default) or tf32: of products on the GPU\n"
    "  --quick         small shapes, one round: checks the bench itself, measures nothing\n"
    "  --help          this text\n\n"
    "On a busy machine: chrt -f 5 bench ... keeps other programs out.\n";

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

static int parse_device(bench_options *o)
{
    if (strcmp(o->device, "cpu") == 0) return 0;
    if (strcmp(o->device, "cuda") != 0) return wrong("not cpu or cuda:", o->device);
    bench_device = AG_CUDA;
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
        {"--steps", &o->steps, NULL, NULL, 0},
        {"--profile", &o->profile, NULL, NULL, 0},
        {"--only", NULL, &o->only, NULL, 0},
        {"--peer", NULL, &o->peer, NULL, 0},
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
    if (!o->ops && !o->steps) o->ops = o->steps = 1;
    return 0;
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
    const int closed = bench_device_open(options.quick);
    if (closed) return closed;
    json_t *head = bench_head(), *rows = json_array();
    json_object_set_new(head, "rows", rows);
    /* The steps come first: they look at how resident memory grows. */
    int bad = (options.steps && bench_steps(&options, rows)) ||
              (options.ops && bench_ops(&options, rows));
    if (!bad && options.json_path &&
        json_dump_file(head, options.json_path, JSON_INDENT(1) | JSON_REAL_PRECISION(6))) {
        fprintf(stderr, "bench: %s cannot be written.\n", options.json_path);
        bad = 1;
    }
    json_decref(head);
    bench_device_close();
    return bad;
}
