import itertools
import numpy as np

NO_LIST = [28, 44, 52, 60, 68, 76, 84, 112, 116, 120, 124, 128, 132]  # columns of products

def node(shape, **columns):
    row = np.zeros(140, np.float32)
    row[NO_LIST] = 1                                         # the product of an empty list
    row[2 + 11] = 1                                          # float32
    row[21:21 + len(shape)], row[27], row[28] = shape, sum(shape), np.prod(shape)
    row[134:134 + len(shape)] = range(len(shape))[::-1]      # row-major: the last axis is the most minor
    for column, value in columns.items():
        row[int(column[1:])] = value
    return row

# y = maximum(dot(x, w), broadcast(0)); nodes in an order in which operands come first
nodes = [node((8, 32)), node((32, 16), c30=1), node((8, 16)), node(()), node((8, 16)), node((8, 16), c0=1)]
opcodes = [63, 63, 34, 24, 13, 57]  # parameter, parameter, dot, constant, broadcast, maximum
edges = [(2, 0), (2, 1), (4, 3), (5, 2), (5, 4)]             # (consumer, producer)
layouts = np.full((8, 1, 18), -1, np.float32)                # configurations, configurable nodes, 3 x 6 digits
for row, (out, a, b) in zip(layouts[:, 0], itertools.product([(1, 0), (0, 1)], repeat=3)):
    row[0:2], row[6:8], row[12:14] = out, a, b               # of the dot: its result, operand 0, operand 1
runtimes = [9120, 9480, 14210, 15030, 9350, 9610, 14890, 15540]  # measured, in nanoseconds
np.savez_compressed("relu.npz", node_feat=nodes, node_opcode=np.uint8(opcodes), edge_index=edges, operand_index=edges,
                    dot_axes=[(2, 0, 1, 0)], node_config_ids=[2], node_config_feat=layouts, config_runtime=runtimes)
