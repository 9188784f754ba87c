/* SPDX-License-Identifier: MIT */
/* Whole calls with --device: the same training, scores and checkpoints on both, and the sentences
   when there is no such device, or too little memory on it. And --precision, of products there. */
#include "support/test.h"
#include "support/program_models.h"
#include "support/program_stop.h"
#include "support/tgraph_npz.h"

#include <signal.h>
#include <unistd.h>

static int there;   /* 1: a device opens */
static int on_host; /* 1: it is the host execution; a test can limit its memory */

#define STEPS " --steps 10 --log-every 1 --eval-every 10 --threads 1 --quiet"
#define EACH  STEPS " --no-baselines"

static int make_files(void **state)
{
    if (program_models_make(state)) return -1;
    const program_outcome o = program_call("tgraph doctor --device cuda --json");
    there = o.code == 0;
    on_host = there && strstr(o.out, "CUDA on the host");
    if (!there && o.code != 6) print_error("doctor: exit %d: %s\n", o.code, o.err);
    return there || o.code == 6 ? 0 : -1;
}

/* ---- comparing ---- */

enum { MOST = 4096 };

/* The numbers of a text, in their order, including digits after a name. */
static int numbers_of(double x[MOST], const char *text)
{
    int n = 0;
    for (const char *p = text; *p && n < MOST;) {
        if (strchr("0123456789", *p)) {
            char *end;
            const int negative = p > text && p[-1] == '-';
            x[n++] = (negative ? -1 : 1) * strtod(p, &end);
            p = end;
        } else
            p++;
    }
    return n;
}

/* As many numbers, each as near as 1e-4 of the largest. */
static void expect_near(const char *what, const char *one, const char *two)
{
    static double x[MOST], y[MOST];
    const int n = numbers_of(x, one);
    double scale = 0;
    assert_int_equal(n, numbers_of(y, two));
    assert_true(n > 3);
    for (int i = 0; i < n; i++) scale = fmax(scale, fabs(x[i]));
    for (int i = 0; i < n; i++)
        if (!(fabs(x[i] - y[i]) <= 1e-4 * scale))
            fail_msg("%s: number %d is %.9g on one device and %.9g on the other, of up to %g", what,
                     i, x[i], y[i], scale);
}

/* The losses of all rows of metrics.csv, step by step. */
static int losses_of(double x[MOST], const char *run)
{
    int n = 0;
    char *text = program_text_of(formatted("%s/metrics.csv", run)), *rest = NULL;
    for (char *line = strtok_r(text, "\n", &rest); line; line = strtok_r(NULL, "\n", &rest)) {
        const char *comma = strchr(line, ',');
        if (n || strncmp(line, "step,loss,", 10) != 0) x[n++] = atof(comma + 1);
    }
    free(text);
    return n;
}

static void expect_losses(const char *one, const char *two)
{
    static double x[MOST], y[MOST];
    const int n = losses_of(x, one);
    assert_int_equal(n, 10);
    assert_int_equal(losses_of(y, two), n);
    for (int i = 0; i < n; i++)
        if (!(fabs(x[i] - y[i]) <= 1e-4 * fabs(x[i])))
            fail_msg("step %d: the loss of %s is %.9g, that of %s %.9g", i + 1, one, x[i], two,
                     y[i]);
    assert_true(fabs(x[0] - x[n - 1]) > 1e-3 * fabs(x[0])); /* it has learned */
}

static void train(const program_model *m, const char *device, const char *run, int code)
{
    program_train(m, run, formatted(" --device %s" EACH, device), code);
}

static void predict(program_outcome *o, const program_model *m, const char *run, const char *device)
{
    *o = program_expect_line(0, "", "", "%s predict --run %s --data %s --device %s --threads 1",
                             m->program->name, run, m->data, device);
}

/* ---- abilities of a device ---- */

/* Ten steps on each; both checkpoints, scored on each. */
static void same_model(const program_model *m)
{
    static program_outcome one, two;
    const char *cpu = formatted("%s-cpu", m->name);
    const char *cuda = formatted("%s-cuda", m->name);
    train(m, "cpu", cpu, 0);
    train(m, "cuda", cuda, 0);
    expect_losses(cpu, cuda);
    for (int i = 0; i < 2; i++) {
        predict(&one, m, i ? cuda : cpu, "cpu");
        predict(&two, m, i ? cuda : cpu, "cuda");
        expect_near(m->name, one.out, two.out);
    }
    program_expect_line(0, "Scores of", "",
                        "%s eval --run %s --data %s --device cuda --no-baselines --quiet",
                        m->program->name, cpu, m->data);
}

static void same_models(void **state)
{
    if (!there) skip();
    for (int i = 0; i < PROGRAM_MODELS; i++) same_model(&program_models[i]);
}

/* The same bits each time, in any order of threads and streams. */
static void same_bits(void **state)
{
    if (!there) skip();
    train(&program_models[0], "cuda", "bits", 0);
    program_expect_same("bits", "layout-cuda"); /* of same_models */
}

/* The runs of same_models are compared with. */
static void go_on(const program_model *m, const char *from, const char *to)
{
    const char *run = formatted("%s-%s-%s", m->name, from, to);
    const char *whole = formatted("%s-cpu", m->name);
    const char *same = formatted("%s-%s", m->name, from);
    program_stop_in(5, SIGINT);
    train(m, from, run, 130);
    program_stop_in(0, 0);
    const program_outcome o = program_expect_line(
        0, "", "going on after step 5 of 10",
        "%s train --out %s --resume --device %s --no-baselines", m->program->name, run, to);
    expect_losses(whole, run);
    const int moved = strcmp(from, to) != 0;
    assert_int_equal(strstr(o.err, "differ in rounding from those of either alone") != NULL, moved);
    program_expect_in(moved ? "<p>Begun on " : "<p>Computed on cuda (", "%s/report.html", run);
    if (!moved) program_expect_same(same, run); /* on one device nothing differs at all */
}

static void resumed_on_the_other(void **state)
{
    if (!there) skip();
    for (int i = 0; i < PROGRAM_MODELS; i++) {
        const program_model *m = &program_models[i];
        if (i && program_model_again(m)) continue;
        go_on(m, "cpu", "cuda");
        go_on(m, "cuda", "cpu");
        go_on(m, "cuda", "cuda");
    }
}

static void studies(void **state)
{
    if (!there) skip();
    program_write_text("study.ini", "[study]\nseeds = 1\n[plain]\n");
    for (const program_model *m = program_models; m->name; m++) {
        if (program_model_again(m)) continue;
        program_expect_line(0, "plain", "",
                            "%s ablate --study study.ini --out study-%s --device cuda%s%s",
                            m->program->name, m->name, m->train, STEPS);
    }
}

static void device_is_told(void **state)
{
    if (!there) skip();
    const program_outcome o = program_expect(
        "tgraph train --out auto --data a.npz --split 0.8 --hidden 16 --configs 6 --steps 2 "
        "--no-baselines --device auto",
        0, "", "--device auto takes cuda (");
    assert_null(strstr(strstr(o.err, "takes cuda") + 1, "takes cuda")); /* once */
    program_expect_in("\"device\": \"cuda\"", "auto/config.json");
    program_expect_in("\"device_name\": \"", "auto/config.json");
    program_expect_in("<p>Computed on cuda (", "auto/report.html");
    program_expect("tpu doctor --device auto", 0, " on cuda: right", "takes cuda (");
    program_expect("tpgnn doctor --device cuda", 0, "capability", "");
}

/* ---- precision ---- */

/* The losses of step 2, at 1: those of step 1 are before any weight has moved. The files of a run
   that was begun in tf32 say so. */
static void precision_is_told(void **state)
{
    static double plain[MOST], coarse[MOST];
    if (!there) skip();
    train(&program_models[0], "cuda --precision tf32", "tf32", 0);
    train(&program_models[0], "cuda", "fp32", 0);
    losses_of(plain, "fp32");
    losses_of(coarse, "tf32");
    const double apart = fabs(coarse[1] - plain[1]);
    assert_true(apart > 0 && apart < 1e-2 * fabs(plain[1]));
    program_expect_in("\"precision\": \"tf32\"", "tf32/config.json");
    program_expect_in(", products in tf32).</p>", "tf32/report.html");
    program_expect_in("\"precision\": \"fp32\"", "fp32/config.json");
    program_expect("tgraph eval --run tf32 --data a.npz --device cuda --precision tf32 --quiet "
                   "--no-baselines",
                   0, "Scores of", "");
}

/* The CPU has no such products, and the call fails before anything is read or made. */
static void tf32_wants_cuda(void **state)
{
    static const char *const calls[] = {
        "tgraph train --out none --data a.npz",
        "tgraph eval --run of-cpu --data a.npz",
        "tgraph predict --run of-cpu --data a.npz",
        "tpu train --out none --data none.npz --valid none.npz",
        "tpgnn train --out none --data none.npz --valid none.npz",
    };
    train(&program_models[0], "cpu", "of-cpu", 0);
    for (size_t i = 0; i < sizeof calls / sizeof *calls; i++)
        program_expect_line(2, "", "--precision: tf32 has no effect, since it needs --device=cuda",
                            "%s --precision tf32 --device cpu", calls[i]);
    assert_int_not_equal(access(test_file("none"), F_OK), 0);
    program_expect("tgraph train --out none --data a.npz --precision fp16", 2, "", "fp32");
    if (!there)
        program_expect("tgraph train --out none --data a.npz --precision tf32 --device auto", 2, "",
                       "--device auto takes cpu here; leave fp32");
}

/* ---- too little memory ---- */

static char memory[32];
static void limit_memory(void) { setenv("CUDA_ON_HOST_BYTES", memory, 1); }

#define DATA AG_SOURCE_DIR "/examples/data/"
#define DEEP DATA "layout/random/alexnet_0.npz"

/* Calls that end with the option for the size of a batch, and a size that fits into so many MiB, of
   which 32 are the workspace of products; `where`: the beginning of the sentence on another. */
static const struct {
    int room, fits;
    const char *line, *where;
} large[] = {
    {42, 4,
     "tgraph train --data " DEEP " --hidden 64 --steps 2 --quiet --no-baselines --device cuda "
     "--force --out big --configs",
     "step 1, alexnet_0.npz: "},
    {46, 1,
     "tpu predict --run wide-tpu --device cuda --eval-nodes 1000000 --data " DATA
     "fusion/train_resnet_0.npz --eval-samples",
     "scoring "},
    {46, 1,
     "tpgnn predict --run wide-tpgnn --device cuda --eval-nodes 1000000 --data " DATA
     "schedules/attention-qk_1_128_4_32.npz --eval-graphs",
     "scoring "},
};

static void train_wide(void)
{
    program_train(&program_models[4], "wide-tpu",
                  " --reduction lstm --steps 1 --hidden 128" PROGRAM_QUIET, 0);
    program_train(&program_models[6], "wide-tpgnn", " --steps 1 --hidden 128" PROGRAM_QUIET, 0);
}

/* The sentence names the option that was too large. */
static void too_large(void **state)
{
    if (!on_host) skip();
    train_wide();
    program_before = limit_memory;
    for (size_t i = 0; i < sizeof large / sizeof *large; i++) {
        snprintf(memory, sizeof memory, "%d", large[i].room << 20);
        const char *advice =
            formatted(" are free; lower %s, or take --device cpu", strrchr(large[i].line, ' ') + 1);
        const program_outcome o =
            program_expect_line(5, "", large[i].where, "%s 65536", large[i].line);
        if (!strstr(o.err, advice)) fail_msg("%s: %s", large[i].line, o.err);
        program_expect_line(0, "", "", "%s %d", large[i].line, large[i].fits);
    }
    program_before = NULL;
}

/* ---- no device ---- */

static void no_device(void **state)
{
    const char *const sentence = "choose the CPU as the device";
    if (there) skip();
    for (const program_model *m = program_models; m->name; m++) {
        train(m, "cpu", m->name, 0);
        program_expect_line(6, "", sentence, "%s train --out x --device cuda%s%s", m->program->name,
                            m->train, EACH);
        assert_int_not_equal(access(test_file("x"), F_OK), 0); /* nothing is made */
        for (int k = 0; k < 2; k++)
            program_expect_line(6, "", sentence, "%s %s --run %s --data %s --device cuda",
                                m->program->name, k ? "predict" : "eval", m->name, m->data);
    }
    program_write_text("study.ini", "[study]\nseeds = 1\n[plain]\n");
    program_expect("tgraph ablate --study study.ini --out x --device cuda --data a.npz --split 0.8",
                   6, "", sentence);
    /* the facts that were found are printed first */
    program_expect("tpgnn doctor --device cuda", 6, "cuda ", sentence);
}

static void auto_takes_the_cpu(void **state)
{
    if (there) skip();
    train(&program_models[0], "auto", "auto", 0);
    train(&program_models[0], "cpu", "chosen", 0);
    program_expect_same("auto", "chosen");
    program_expect_in("\"device\": \"cpu\"", "auto/config.json");
    program_expect_in("<p>Computed on cpu (", "auto/report.html");
    program_expect("tpu doctor --device auto", 0, " on cpu: right", "--device auto takes cpu: ");
}

int main(void)
{
    return RUN_TESTS_WITH(make_files, test_folder_remove, same_models, same_bits, studies,
                          resumed_on_the_other, device_is_told, precision_is_told, tf32_wants_cuda,
                          too_large, no_device, auto_takes_the_cpu);
}
