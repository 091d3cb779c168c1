"""Emit the ops that are not single expressions, other than conditionals and loops."""

from __future__ import annotations

from collections.abc import Iterable

import numpy as np

from ..ir.graph import Node, Slot
from ..ir.types import ArrayType, ListType
from .writer import CodeWriter, Owned


class OpEmitter(CodeWriter):
    """Emitter with a method for each op."""

    def emit_constant(self, node: Node, last_uses: set[Node], owned: Owned) -> None:
        self.names[node] = self.literal(node.attrs["value"])

    def emit_output(self, node: Node, last_uses: set[Node], owned: Owned) -> None:
        [source] = node.inputs
        names = self.names[source]
        if isinstance(names, tuple):
            self.names[node] = names[node.attrs["index"]]
            if (source, node.attrs["index"]) in owned:
                owned.add(node)
        else:
            name = self.fresh()
            self.line(f"{name} = {names}[{node.attrs['index']}]", node)
            self.names[node] = name

    def share_with_list(self, values: Iterable[Node], owned: Owned) -> None:
        """Mark values as not owned, since a list now refers to them."""
        for value in values:
            owned -= self.bases(value) | {value}
            if value.op == "output":
                owned.discard((value.inputs[0], value.attrs["index"]))

    def emit_list(self, node: Node, last_uses: set[Node], owned: Owned) -> None:
        self.share_with_list(node.inputs, owned)
        name = self.fresh()
        self.line(f"{name} = [{', '.join(self.names[i] for i in node.inputs)}]", node)
        self.names[node] = name
        owned.add(node)

    def emit_tuple(self, node: Node, last_uses: set[Node], owned: Owned) -> None:
        self.share_with_list(node.inputs, owned)
        name = self.fresh()
        self.line(f"{name} = ({''.join(self.names[i] + ', ' for i in node.inputs)})", node)
        self.names[node] = name

    def emit_zip(self, node: Node, last_uses: set[Node], owned: Owned) -> None:
        strict = ["strict=True"] if node.attrs["strict"] else []
        self.names[node] = f"zip({', '.join([*(self.names[i] for i in node.inputs), *strict])})"

    def emit_dataset(self, node: Node, last_uses: set[Node], owned: Owned) -> None:
        self.names[node] = f"{self.global_name(node.attrs['function'])}()"

    def emit_range(self, node: Node, last_uses: set[Node], owned: Owned) -> None:
        start, stop, step = (self.names[i] for i in node.inputs)
        text = (
            stop
            if (start, step) == ("0", "1")
            else f"{start}, {stop}"
            if step == "1"
            else f"{start}, {stop}, {step}"
        )
        self.names[node] = f"range({text})"

    def emit_enumerate(self, node: Node, last_uses: set[Node], owned: Owned) -> None:
        source, start = (self.names[i] for i in node.inputs)
        self.names[node] = f"enumerate({source}{'' if start == '0' else ', ' + start})"

    def emit_reversed(self, node: Node, last_uses: set[Node], owned: Owned) -> None:
        self.names[node] = f"reversed({self.names[node.inputs[0]]})"

    def writable_name(self, node: Node, last_uses: set[Node], owned: Owned) -> str:
        """Return a name through which the first input may be modified.

        Copy the input first, unless it is owned and not used later.
        """
        target = node.inputs[0]
        if target in last_uses and target in owned:
            return self.names[target]
        name = self.name_of(target)
        copy = "list({})" if isinstance(target.type, ListType) else "{}.copy()"
        self.line(f"{name} = {copy.format(self.names[target])}", node)
        return name

    def emit_setitem(self, node: Node, last_uses: set[Node], owned: Owned) -> None:
        name = self.writable_name(node, last_uses, owned)
        inputs = [name, *(self.names[i] for i in node.inputs[1:])]
        self.line(f"{name}[{self.argument(node.attrs['key'], inputs)}] = {inputs[-1]}", node)
        self.names[node] = name
        if name == self.names[node.inputs[0]]:
            self.array_root[node] = self.array_root.get(node.inputs[0], node.inputs[0])
        owned.add(node)

    def emit_add_at(self, node: Node, last_uses: set[Node], owned: Owned) -> None:
        name = self.writable_name(node, last_uses, owned)
        inputs = [name, *(self.names[i] for i in node.inputs[1:])]
        key = self.argument(node.attrs["key"], inputs)
        if has_distinct_indices(node):
            self.line(f"{name}[{key}] += {inputs[-1]}", node)
        else:
            self.line(f"{self.global_name(np.add.at)}({name}, {key}, {inputs[-1]})", node)
        self.names[node] = name
        if name == self.names[node.inputs[0]]:
            self.array_root[node] = self.array_root.get(node.inputs[0], node.inputs[0])
        owned.add(node)

    def emit_list_append(self, node: Node, last_uses: set[Node], owned: Owned) -> None:
        self.share_with_list(node.inputs[1:], owned)
        name = self.writable_name(node, last_uses, owned)
        self.line(f"{name}.append({self.names[node.inputs[1]]})", node)
        self.names[node] = name
        owned.add(node)

    def emit_list_set(self, node: Node, last_uses: set[Node], owned: Owned) -> None:
        self.share_with_list(node.inputs[2:], owned)
        name = self.writable_name(node, last_uses, owned)
        self.line(f"{name}[{self.names[node.inputs[1]]}] = {self.names[node.inputs[2]]}", node)
        self.names[node] = name
        owned.add(node)

    def emit_list_insert(self, node: Node, last_uses: set[Node], owned: Owned) -> None:
        self.share_with_list(node.inputs[2:], owned)
        name = self.writable_name(node, last_uses, owned)
        index, value = (self.names[i] for i in node.inputs[1:])
        self.line(f"{name}.insert(insertion_index({name}, {index}), {value})", node)
        self.names[node] = name
        owned.add(node)

    def emit_list_add_at(self, node: Node, last_uses: set[Node], owned: Owned) -> None:
        name = self.writable_name(node, last_uses, owned)
        item = f"{name}[{self.names[node.inputs[1]]}]"
        self.line(f"{item} = item_sum({item}, {self.names[node.inputs[2]]})", node)
        self.names[node] = name
        owned.add(node)

    def emit_list_pop(self, node: Node, last_uses: set[Node], owned: Owned) -> None:
        name, value = self.writable_name(node, last_uses, owned), self.fresh()
        self.line(f"{value} = {name}.pop({self.names[node.inputs[1]]})", node)
        self.names[node] = (name, value)
        owned.add((node, 0))

    def emit_check_bound(self, node: Node, last_uses: set[Node], owned: Owned) -> None:
        name = self.names[node.inputs[0]]
        self.line(f"if {name} is MISSING: raise missing({node.attrs.get('symbol', '')!r})", node)
        self.names[node] = name

    def emit_raise(self, node: Node, last_uses: set[Node], owned: Owned) -> None:
        inputs = [self.names[i] for i in node.inputs]
        args = ", ".join(self.argument(a, inputs) for a in node.attrs["args"])
        self.line(f"raise {self.global_name(node.attrs['function'], 'error')}({args})", node)

    def emit_print(self, node: Node, last_uses: set[Node], owned: Owned) -> None:
        inputs = [self.names[i] for i in node.inputs]
        args = [self.argument(a, inputs) for a in node.attrs["args"]]
        args += [f"{k}={self.argument(v, inputs)}" for k, v in node.attrs["kwargs"].items()]
        self.line(f"print({', '.join(args)})", node)


def has_distinct_indices(node: Node) -> bool:
    """Return whether the key of a write surely selects no element twice."""
    parts = node.attrs["key"]
    parts = parts if type(parts) is tuple else (parts,)
    advanced = 0
    for part in parts:
        kind = node.inputs[part.index].type if isinstance(part, Slot) else None
        if isinstance(part, Slot):
            is_mask = isinstance(kind, ArrayType) and kind.dtype == bool
            advanced += isinstance(kind, ArrayType) and bool(kind.shape) and not is_mask
        elif isinstance(part, (list, np.ndarray)):
            return False
    return not advanced
