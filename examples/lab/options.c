/* SPDX-License-Identifier: MIT */
/* The option table. */
#include "examples/harness/commands/doctor.h"
#include "examples/lab/lab.h"
#include "examples/lab/measure/manifest.h"

enum {
    LAYOUT = HARNESS_OWN,
    TILE = HARNESS_OWN << 1,
    FUSION = HARNESS_OWN << 2,
    CHECK = HARNESS_OWN << 3,
    SPLIT = HARNESS_OWN << 4,
    SHOW = HARNESS_OWN << 5,
    FAMILIES = HARNESS_OWN << 6,
    COLLECT = LAYOUT | TILE | FUSION,
    MEASURE = COLLECT | CHECK,
    CONFIGS = LAYOUT | TILE,
    RANDOM = MEASURE | SPLIT,
    ALL = RANDOM | SHOW | FAMILIES
};

/* Names a field without "lab_settings," in every row. */
#define FIELD(M) HARNESS_FIELD(lab_settings, M)

static const harness_option table[] = {
    {"out", FIELD(out), .commands = COLLECT, .needed = COLLECT, .meta = "DIR", .often = true,
     .group = "Files",
     .help = "the folder of the data set; programs that have their files in it are skipped"},
    {"dir", FIELD(folders), .commands = CHECK | SPLIT, .needed = CHECK | SPLIT, .meta = "DIR...",
     .often = true, .group = "Files", .help = "folders of a data set, with their subfolders"},

    {"families", FIELD(families), .commands = COLLECT, .meta = "A,B,...", .often = true,
     .group = "Programs", .needs = "no --text",
     .help = "families of programs, separated by commas (default: all; \"lab families\" lists "
             "them)"},
    {"programs", FIELD(programs), "16", 1, 1e6, COLLECT, .often = true, .group = "Programs",
     .needs = "no --text", .help = "number of programs, taken from the families in turn"},
    {"first", FIELD(first), "0", 0, 1e6, COLLECT, .group = "Programs", .needs = "no --text",
     .help = "number of the first program of each family"},
    {"milliseconds", FIELD(milliseconds), "1", 0.2, 200, COLLECT | SHOW, .group = "Programs",
     .needs = "no --text", .help = "about the longest run time of a program"},
    {"text", FIELD(text), .commands = COLLECT | SHOW, .meta = "FILE...", .often = true,
     .group = "Programs", .help = "programs of your own, instead of the families'"},
    {"family", FIELD(family), .commands = SHOW, .meta = "NAME", .group = "Programs",
     .help = "show a program of this family"},
    {"number", FIELD(number), "0", 0, 1e6, SHOW, .group = "Programs", .needs = "--family",
     .help = "number of the program"},

    {"configs", FIELD(configs), "128", 2, 1e6, CONFIGS, .often = true, .group = "Configurations",
     .help = "most configurations per file"},
    {"plan", HARNESS_WORD(lab_settings, plan), "strides", .choices = "strides|inner|axes",
     .commands = LAYOUT, .group = "Configurations",
     .help = "the loops of an op: ordered by strides, with the sum innermost, or in the order of "
             "the axes, whatever the layout"},
    {"kernels", FIELD(kernels), "8", 1, 1e6, TILE, .often = true, .group = "Configurations",
     .help = "most kernels per program, a file each"},
    {"least", FIELD(least), "0", 0, 1e15, TILE, .group = "Configurations",
     .help = "omit kernels that take less than this with their default tile, ns"},
    {"partitions", FIELD(partitions), "16", 1, 1e5, FUSION, .often = true,
     .group = "Configurations", .help = "random fusion partitions per program"},
    {"seed", FIELD(seed), "0", 0, 9007199254740992.0, RANDOM, .often = true,
     .group = "Configurations", .help = "seed of all random numbers except those of the programs"},

    {"minutes", FIELD(minutes), "0", 0, 1e6, COLLECT, .often = true, .group = "Measuring",
     .help = "stop after X minutes (0: when all is done); programs get equal times"},
    {"repeats", FIELD(repeats), "5", 2, 1000, MEASURE, .often = true, .group = "Measuring",
     .help = "samples per configuration"},
    {"probe-threshold", FIELD(threshold), "0.15", 0.001, 1000, MEASURE, .group = "Measuring",
     .help = "repeat samples when fixed work between them takes longer than its best by this "
             "share"},
    {"redo", FIELD(redo), "8", 0, 1000, MEASURE, .group = "Measuring",
     .help = "most repetitions of a sample"},
    {"noise", FIELD(noise), "0.1", 0, 1e9, COLLECT, .group = "Measuring",
     .help = "drop files with noise above this share of their spread"},
    {"core", FIELD(core), "-1", -1, 1023, MEASURE, .often = true, .group = "Measuring",
     .help = "the core to run on (-1: the last one)"},
    {"sample", FIELD(sample), "200", 2, 1e9, CHECK, .often = true, .group = "Measuring",
     .help = "number of configurations to measure again"},
    {"per-file", FIELD(per_file), "20", 2, 1e9, CHECK, .group = "Measuring",
     .help = "configurations per file"},

    {"valid", FIELD(valid), "0.125", 0, 0.9, SPLIT, .group = "Split",
     .help = "share of the programs (and of the families) for validation"},
    {"test", FIELD(test), "0.125", 0, 0.9, SPLIT, .group = "Split", .help = "share for the test"},

    {"quiet", FIELD(common.quiet), .commands = ALL | HARNESS_DOCTOR, .group = "Output",
     .help = "only errors on stderr, no progress bar"},
    {"json", FIELD(common.json), .commands = CHECK | HARNESS_DOCTOR, .often = true,
     .group = "Output", .help = "results on stdout as JSON"},
};

static const harness_command commands[] = {
    {"layout", LAYOUT, "measure programs under different layouts", NULL, lab_layout_command},
    {"tile", TILE, "measure fused kernels under different tile sizes", NULL, lab_tile_command},
    {"fusion", FUSION, "measure the kernels of different fusions of programs", NULL,
     lab_fusion_command},
    {"check", CHECK, "measure part of a data set again and compare", "dir", lab_check_command},
    {"split", SPLIT, "write lists of training, validation and test files", "dir",
     lab_split_command},
    {"show", SHOW, "print a program", "text", lab_show_command},
    {"families", FAMILIES, "list the families of programs", NULL, lab_families_command},
    HARNESS_DOCTOR_COMMAND,
};

const harness_program lab_program_table = {
    .name = "lab",
    .version = LAB_VERSION,
    .help = "measures small tensor programs on this CPU under different layouts, tile sizes and "
            "fusions, and writes the files that the trainers read",
    HARNESS_TABLES(table, commands),
    .options_bytes = sizeof(lab_settings),
    .examples = "lab layout --out data --programs 64 --minutes 10\n"
                "lab layout --out axes --families mlp,lstm --plan axes\n"
                "lab layout --out data --text examples/data/tile/mlp_202_5ecb522e66c5af42.txt\n"
                "lab tile --out tiles --programs 64 --minutes 10\n"
                "lab tile --out tiles --families resnet --kernels 4\n"
                "lab tile --out tiles --text examples/data/tile/mlp_202_5ecb522e66c5af42.txt\n"
                "lab fusion --out fusions --programs 64 --minutes 10\n"
                "lab fusion --out fusions --families resnet --partitions 8\n"
                "lab fusion --out fusions --text examples/data/tile/mlp_202_5ecb522e66c5af42.txt\n"
                "lab check data\n"
                "lab check examples/data/layout --sample 100\n"
                "lab check data tiles --json\n"
                "lab split data\n"
                "lab split data --valid 0.2 --test 0.2\n"
                "lab split data --seed 1\n"
                "lab show --family lstm --number 3\n"
                "lab show examples/data/tile/mlp_202_5ecb522e66c5af42.txt\n"
                "lab show --family mlp --milliseconds 5\n"
                "lab families\n"
                "lab doctor\n"
                "lab doctor --json\n"};

int lab_main(int argc, char **argv) { return harness_main(&lab_program_table, argc, argv); }
