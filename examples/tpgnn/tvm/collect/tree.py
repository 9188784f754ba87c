# SPDX-License-Identifier: MIT
"""The syntax tree of a lowered TIR function as flat columns, in pre-order. Knows the nodes of TIR by the names of their
classes and attributes alone, so it can be tested without TVM.
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
    """Columns, one entry per node: type, loop, dtype, scope (texts; "-" where a node has none), value, children (how
    many), refers. Every node For, Param, AllocBuffer, DeclBuffer, Bind or Let declares one variable or buffer; refers
    is the number of the declaration of what a node names, counted from 1 in the order of the nodes, or 0."""

    def __init__(self):
        self.type, self.loop, self.dtype, self.scope = [], [], [], []
        self.value, self.children, self.refers = [], [], []
        self.declared, self.declarations = {}, 0

    def __len__(self):
        return len(self.type)

    def add(self, kind, parent, dtype="-", scope="-", loop="-", value=0.0, refers=0):
        """Appends a node; parent: its number, or None for the root."""
        for column, entry in ((self.type, kind), (self.loop, loop), (self.dtype, dtype), (self.scope, scope),
                              (self.value, min(max(float(value), -LARGEST), LARGEST)), (self.children, 0),
                              (self.refers, refers)):
            column.append(entry)
        if parent is not None:
            self.children[parent] += 1
        return len(self.type) - 1

    def mark(self):
        """Equal for equal trees, and only for these."""
        columns = self.type, self.loop, self.dtype, self.scope, self.value, self.children, self.refers
        return hashlib.sha1(repr(columns).encode()).digest()

    def declare(self, what):
        self.declarations += 1
        self.declared[what] = self.declarations

    def buffer(self, kind, buffer, parent):
        """A declaration; its children are the sizes of the buffer."""
        at = self.add(kind, parent, str(buffer.dtype), buffer.scope())
        self.declare(buffer)
        for size in buffer.shape:
            self.visit(size, at)
        return at

    def access(self, kind, buffer, parent):
        return self.add(kind, parent, str(buffer.dtype), buffer.scope(), refers=self.declared.get(buffer, 0))

    def visit(self, node, parent):
        kind = type(node).__name__
        if kind not in CHILDREN:
            raise ValueError(f"the program has a node of type {kind}, which tree.py does not know; add it to CHILDREN")
        at = DESCRIBE.get(kind, plain)(self, RENAMED.get(kind, kind), node, parent)
        for attribute in CHILDREN[kind]:
            child = getattr(node, attribute)
            if child is None:
                continue
            for one in child if attribute in ("seq", "indices", "args", "vectors") else (child,):
                self.visit(one, at)


def number(node):
    """The value of a constant node, else 0."""
    return node.value if type(node).__name__ in ("IntImm", "FloatImm") else 0.0


def element(node):
    """Element type of an expression ("-" for a statement)."""
    return str(getattr(getattr(node, "ty", None), "dtype", "-"))


def plain(tree, kind, node, parent):
    return tree.add(kind, parent, element(node))


def constant(tree, kind, node, parent):
    return tree.add(kind, parent, element(node), value=node.value)


def loop(tree, kind, node, parent):
    at = tree.add(kind, parent, element(node.loop_var), loop=LOOPS[int(node.kind)], value=number(node.extent))
    tree.declare(node.loop_var)
    for key, value in sorted(node.annotations.items(), key=lambda item: str(item[0])):
        tree.add(f"Annotation.{key}", at, value=number(value))
    return at


def attribute(tree, kind, node, parent):
    return tree.add(f"{kind}.{node.attr_key}", parent, value=number(node.value))


def call(tree, kind, node, parent):
    """The last part of the name: TVM moves functions between its modules."""
    name = str(getattr(node.op, "name", None) or getattr(node.op, "name_hint", type(node.op).__name__))
    return tree.add(f"{kind}.{name.rsplit('.', 1)[-1]}", parent, element(node))


def variable(tree, kind, node, parent):
    return tree.add(kind, parent, element(node), refers=tree.declared.get(node, 0))


def binding(tree, kind, node, parent):
    at = tree.add(kind, parent, element(node.var))
    tree.declare(node.var)
    return at


DESCRIBE = {
    "IntImm": constant, "FloatImm": constant, "For": loop, "AttrStmt": attribute, "Call": call, "Var": variable,
    "Bind": binding, "Let": binding,
    "AllocBuffer": lambda tree, kind, node, parent: tree.buffer(kind, node.buffer, parent),
    "DeclBuffer": lambda tree, kind, node, parent: tree.buffer(kind, node.buffer, parent),
    "BufferStore": lambda tree, kind, node, parent: tree.access(kind, node.buffer, parent),
    "TensorLoad": lambda tree, kind, node, parent: tree.access(kind, node.source, parent),
    "BufferLoad": lambda tree, kind, node, parent: tree.access(kind, node.buffer, parent),
}


def flatten(function):
    """Tree of a PrimFunc: a root, its parameters (type Param), its body."""
    tree = Tree()
    root = tree.add("PrimFunc", None)
    for parameter in function.params:
        tree.buffer("Param", parameter, root)
    tree.visit(function.body, root)
    return tree
