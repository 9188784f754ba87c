# SPDX-License-Identifier: MIT
"""Small logs of every format and version, made up, for the tests."""


def ansor(key="a", rest="", steps="", result="[[1], 0, 1, 2]", version="v0.6"):
    return (f'{{"i": [["[\\"{key}\\", 4, [2, 3]]", "llvm -keys=cpu"{rest}], [[], [{steps}]]], "r": {result}, '
            f'"v": "{version}"}}\n')


def autotvm(name="dense", named="{}", entities="", result="[[1], 0, 1, 2]", version="0.2"):
    return (f'{{"input": ["cuda -model=t4", "{name}", [["TENSOR", [1, 8], "float32"], null], {named}], "config": '
            f'{{"index": 129, "code_hash": null, "entity": [{entities}]}}, "result": {result}, "version": {version}, '
            '"tvm_version": "0.8.dev0"}\n')


HARDWARE = ", [4, 64, 64, 0, 0, 0, 0, 0]"
# One step of each kind, and one more AN.
STEPS = ('["AN", 4, 0, 3], ["AN", 4, 2, 2], ["FU", 4, [0, 1]], ["PR", 2, 0, "auto_unroll_max_step$8"], '
         '["RE", 2, [1, 0]], ["SP", 2, 0, 1024, [2, 1, 4], 1], ["FSP", 4, 0, 0, 2], ["FFSP", 4, 0, [1, 0], 1, 1], '
         '["SA", 1, 2, 3, 4], ["CA", 2, 4, 3], ["CI", 5], ["CR", 6], ["CHR", 2, "shared", [3]], ["CHW", 3, "local"], '
         '["RF", 3, 2, 1]')
ANSOR = ("# a log of every version\n"
         + ansor("a", "", STEPS, "[[0.5, 0.25, 0.75], 0, 1.5, 1603259147]", "v0.2")
         + ansor("a", HARDWARE, '["CI", 5]', "[[0.25], 0, 1.5, 1603259147]", "v0.3") + "\n"
         + ansor("b", HARDWARE + ', "", 0', "", "[[1e-05], 0, 1, 2]", "v0.4")
         + ansor("a", HARDWARE + ', "", 2', '["CI", 1]', "[[1e+10], 4, 1.5, 1603259147.5]", "v0.5") + " a comment\n"
         + ansor("a", HARDWARE + ', "llvm", 1, ["w"]', '["CI", 1]', "[[10000000000], 6, 1.5, 1603259147]")
         + ansor("a", HARDWARE + ', "", 1, []', '["CI", 1]', "[[2], 0, 1.5, 1603259147]"))
ENTITIES = ('["tile_x", "sp", [-1, 4]], ["reorder_0", "re", [1, 0]], ["ann", "an", ["unroll", "vec"]], '
            '["step", "ot", 1500], ["x", "ot", null]')
AUTOTVM = (autotvm(entities=ENTITIES, result="[[3e-05, 1e-05], 0, 2.5, 1610455202.25]")
           + autotvm(named='{"k": 1, "a": 2}', result="[[0.5], 0, 2.5, 1610455202]")
           + autotvm(entities='["tile_x", "sp", [-1, 8]]', result="[[1000000000.0], 6, 10, 1]"))
# A database: two workloads, four records.
WORKLOADS = '["1234567890123456789", "AAECAw=="]\n["42", "BA=="]\n'
TRACE = ('[[["GetBlock", [], ["C", "main"], ["b0"]], ["GetLoops", ["b0"], [], ["l1"]], '
         '["Split", ["l1", 2, 4], [1], ["l2", "l3"]]], [[2, [2, 4]]]]')
TARGET = '{"kind": "llvm", "keys": ["cpu"]}'
RECORDS = (f'[1, [{TRACE}, [0.25, 0.5], {TARGET}, [["TENSOR", "float32", [8]]]]]\n'
           f'[0, [{TRACE}, [10000000000.0], {TARGET}, []]]\n'
           '[1, [[[], []], null, null, null]]\n'
           f'[1, [{TRACE}, [0.125], {TARGET}, null]]\n')
