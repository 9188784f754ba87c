# SPDX-License-Identifier: MIT
"""The syntax tree of a lowered TIR function as flat columns, in pre-order. Knows the nodes of TIR only by the names of
their classes and attributes, so it can be tested without TVM.
"""
import hashlib

BINARY = ("Add Sub Mul Div Mod FloorDiv FloorMod Min Max EQ NE LT LE GT GE And Or "
          "LShift RShift BitwiseAnd BitwiseOr BitwiseXor").split()
# The parts of a node that TVM's own visitors visit, in their order.
CHILDREN = {
    "For": ("min", "extent", "body"), "While": ("condition", "body"), "AttrStmt": ("value", "body"),
    "SeqStmt": ("seq",), "IfThenElse": ("condition", "then_case", "else_case"), "Evaluate": ("value",),
    "AssertStmt": ("condition",), "BufferStore": ("value", "indices"), "TensorLoad": ("indices",),
    "BufferLoad": ("indices",), "Bind": ("value",), "AllocBuffer": (), "DeclBuffer": (), "Call": ("args",),
    "Select": ("condition", "true_value", "false_value"), "Cast": ("value",), "Not": ("a",), "BitwiseNot": ("a",),
    "Let": ("value", "body"), "Ramp": ("base", "stride", "lanes"), "Broadcast": ("value", "lanes"),
    "Shuffle": ("vectors", "indices"), "Var": (), "IntImm": (), "FloatImm": (), "StringImm": (),
    **{name: ("a", "b") for name in BINARY},
}
RENAMED = {"TensorLoad": "BufferLoad"}  # TVM 0.27 against TVM before it, the paper and all that was published
LOOPS = ("serial", "parallel", "vectorized", "unrolled", "thread_binding")  # TVM's ForKind
LARGEST = 3.4028234663852886e38  # of a float32; a constant may be an infinity
NAMED = ("Var", "BufferLoad", "BufferStore", "Param", "AllocBuffer", "DeclBuffer", "Bind", "Let")


class Tree:
    """Columns, one entry per node: kind (type, loop, dtype and scope; "-" where a node has none), value, children (how
    many), refers. Every node For, Param, AllocBuffer, DeclBuffer, Bind or Let declares one variable or buffer; refers
    is the number of the declaration of what a node names, counted from 1 in the order of the nodes, or 0."""

    def __init__(self):
        self.kind, self.value, self.children, self.refers = [], [], [], []
        self.declared, self.declarations = {}, 0

    def __len__(self):
        return len(self.kind)

    def mark(self):
        """Equal for equal trees, and only for these."""
        return hashlib.sha1(repr((self.kind, self.value, self.children, self.refers)).encode()).digest()

    def add(self, type, parent, dtype="-", scope="-", loop="-", value=0.0, refers=0):
        """Appends a node; parent: its number, or None for the root."""
        self.kind.append((type, loop, dtype, scope))
        self.value.append(min(max(float(value), -LARGEST), LARGEST))
        self.children.append(0)
        self.refers.append(refers)
        if parent is not None:
            self.children[parent] += 1
        return len(self) - 1

    def declare(self, what, at):
        """Counts the declaration by the node `at`, which it returns."""
        self.declarations += 1
        self.declared[what] = self.declarations
        return at

    def buffer(self, type, buffer, parent):
        """A declaration; its children are the sizes of the buffer."""
        at = self.declare(buffer, self.add(type, parent, str(buffer.dtype), buffer.scope()))
        for size in buffer.shape:
            self.visit(size, at)
        return at

    def loop(self, node, parent):
        at = self.declare(node.loop_var, self.add("For", parent, element(node.loop_var), value=constant(node.extent),
                                                  loop=LOOPS[int(node.kind)]))
        for key, value in sorted(node.annotations.items(), key=lambda item: str(item[0])):
            self.add(f"Annotation.{key}", at, value=constant(value))
        return at

    def describe(self, kind, node, parent):
        """Adds a node, without its children."""
        type = RENAMED.get(kind, kind)
        if kind == "For":
            return self.loop(node, parent)
        if kind in ("AllocBuffer", "DeclBuffer"):
            return self.buffer(kind, node.buffer, parent)
        if kind in ("Bind", "Let"):
            return self.declare(node.var, self.add(kind, parent, element(node.var)))
        if kind in ("BufferStore", "BufferLoad", "TensorLoad"):
            buffer = node.source if kind == "TensorLoad" else node.buffer
            return self.add(type, parent, str(buffer.dtype), buffer.scope(), refers=self.declared.get(buffer, 0))
        if kind == "AttrStmt":
            return self.add(f"{type}.{node.attr_key}", parent, value=constant(node.value))
        if kind == "Call":  # the last part of the name: TVM moves functions between its modules
            type += "." + name_of(node.op).rsplit(".", 1)[-1]
        refers = self.declared.get(node, 0) if kind == "Var" else 0
        return self.add(type, parent, element(node), value=constant(node), refers=refers)

    def visit(self, node, parent):
        kind = type(node).__name__
        if kind not in CHILDREN:
            raise ValueError(f"the program has a node of type {kind}, which tree.py does not know; add it to CHILDREN")
        at = self.describe(kind, node, parent)
        for attribute in CHILDREN[kind]:
            child = getattr(node, attribute)
            if child is None:
                continue
            for one in child if attribute in ("seq", "indices", "args", "vectors") else (child,):
                self.visit(one, at)


def constant(node):
    """The value of a constant node, else 0."""
    return node.value if type(node).__name__ in ("IntImm", "FloatImm") else 0.0


def element(node):
    """Element type of an expression ("-" for a statement)."""
    return str(getattr(getattr(node, "ty", None), "dtype", "-"))


def name_of(op):
    return str(getattr(op, "name", None) or getattr(op, "name_hint", type(op).__name__))


def flatten(function):
    """Tree of a PrimFunc: a root, its parameters (type Param), its body."""
    tree = Tree()
    root = tree.add("PrimFunc", None)
    for parameter in function.params:
        tree.buffer("Param", parameter, root)
    tree.visit(function.body, root)
    return tree
