/* SPDX-License-Identifier: MIT */
/* Small logs of every format and version, made up. */
#ifndef TEST_TPGNN_LOGS_H
#define TEST_TPGNN_LOGS_H

#define ANSOR_LINE(KEY, REST, STEPS, RESULT, VERSION)                                    \
 "{\"i\": [[\"[\\\"" KEY "\\\", 4, [2, 3]]\", \"llvm -keys=cpu\"" REST "], [[], [" STEPS \
 "]]], \"r\": " RESULT ", \"v\": \"" VERSION "\"}\n"

#define HARDWARE_03 ", [4, 64, 64, 0, 0, 0, 0, 0]"

/* One step of each kind, and one more AN. */
#define ALL_STEPS                                                                              \
 "[\"AN\", 4, 0, 3], [\"AN\", 4, 2, 2], [\"FU\", 4, [0, 1]], "                                 \
 "[\"PR\", 2, 0, \"auto_unroll_max_step$8\"], [\"RE\", 2, [1, 0]], "                           \
 "[\"SP\", 2, 0, 1024, [2, 1, 4], 1], [\"FSP\", 4, 0, 0, 2], [\"FFSP\", 4, 0, [1, 0], 1, 1], " \
 "[\"SA\", 1, 2, 3, 4], [\"CA\", 2, 4, 3], [\"CI\", 5], [\"CR\", 6], "                         \
 "[\"CHR\", 2, \"shared\", [3]], [\"CHW\", 3, \"local\"], [\"RF\", 3, 2, 1]"

#define ANSOR_LOG                                                                                  \
 "# a log of every version\n" ANSOR_LINE("a", "", ALL_STEPS,                                       \
                                         "[[0.5, 0.25, 0.75], 0, 1.5, 1603259147]", "v0.2")        \
     ANSOR_LINE("a", HARDWARE_03, "[\"CI\", 5]", "[[0.25], 0, 1.5, 1603259147]",                   \
                "v0.3") "\n" ANSOR_LINE("b", HARDWARE_03 ", \"\", 0", "", "[[1e-05], 0, 1, 2]",    \
                                        "v0.4")                                                    \
         ANSOR_LINE(                                                                               \
             "a", HARDWARE_03 ", \"\", 2", "[\"CI\", 1]", "[[1e+10], 4, 1.5, 1603259147.5]",       \
             "v0.5") " a comment, too\n" ANSOR_LINE("a", HARDWARE_03 ", \"llvm\", 1, [\"w\"]",     \
                                                    "[\"CI\", 1]",                                 \
                                                    "[[10000000000], 6, 1.5, 1603259147]", "v0.6") \
             ANSOR_LINE("a", HARDWARE_03 ", \"\", 1, []", "[\"CI\", 1]",                           \
                        "[[2], 0, 1.5, 1603259147]", "v0.6")

#define AUTOTVM_LINE(NAME, KEYWORDS, ENTITIES, RESULT, VERSION)                \
 "{\"input\": [\"cuda -model=t4\", \"" NAME                                    \
 "\", [[\"TENSOR\", [1, 8], \"float32\"], null], " KEYWORDS                    \
 "], \"config\": {\"index\": 129, \"code_hash\": null, \"entity\": [" ENTITIES \
 "]}, \"result\": " RESULT ", \"version\": " VERSION ", \"tvm_version\": \"0.8.dev0\"}\n"

#define ALL_ENTITIES                                                \
 "[\"tile_x\", \"sp\", [-1, 4]], [\"reorder_0\", \"re\", [1, 0]], " \
 "[\"ann\", \"an\", [\"unroll\", \"vec\"]], [\"step\", \"ot\", 1500], [\"x\", \"ot\", null]"

#define AUTOTVM_LOG                                                                          \
 AUTOTVM_LINE("dense", "{}", ALL_ENTITIES, "[[3e-05, 1e-05], 0, 2.5, 1610455202.25]", "0.2") \
 AUTOTVM_LINE("dense", "{\"k\": 1, \"a\": 2}", "", "[[0.5], 0, 2.5, 1610455202]", "0.2")     \
 AUTOTVM_LINE("dense", "{}", "[\"tile_x\", \"sp\", [-1, 8]]", "[[1000000000.0], 6, 10, 1]", "0.2")

/* A database: two workloads, four records. */
#define WORKLOADS "[\"1234567890123456789\", \"AAECAw==\"]\n[\"42\", \"BA==\"]\n"

#define TRACE                                                                                  \
 "[[[\"GetBlock\", [], [\"C\", \"main\"], [\"b0\"]], [\"GetLoops\", [\"b0\"], [], [\"l1\"]], " \
 "[\"Split\", [\"l1\", 2, 4], [1], [\"l2\", \"l3\"]]], [[2, [2, 4]]]]"

#define TARGET "{\"kind\": \"llvm\", \"keys\": [\"cpu\"]}"

#define RECORDS                                                                  \
 "[1, [" TRACE ", [0.25, 0.5], " TARGET ", [[\"TENSOR\", \"float32\", [8]]]]]\n" \
 "[0, [" TRACE ", [10000000000.0], " TARGET ", []]]\n"                           \
 "[1, [[[], []], null, null, null]]\n"                                           \
 "[1, [" TRACE ", [0.125], " TARGET ", null]]\n"

#endif
