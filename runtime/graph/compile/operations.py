"""Emit the ops that are not single expressions, other than conditionals and loops."""

from __future__ import annotations

from collections.abc import Iterable

import numpy as np

from ..ir.graph import Node, Slot
from ..ir.list_operations import RETURNING, UPDATES
from ..ir.types import ArrayType, ListType, bound_type, is_reference
from .writer import CodeWriter


class OpEmitter(CodeWriter):
    """Emitter with one method per op."""

    def emit_constant(self, node: Node) -> None:
        self.names[node] = self.literal(node.attrs["value"])

    def emit_output(self, node: Node) -> None:
        [source] = node.inputs
        names = self.names[source]
        if isinstance(names, tuple):
            self.names[node] = names[node.attrs["index"]]
            if (source, node.attrs["index"]) in self.owned:
                self.owned.add(node)
        else:
            name = self.fresh()
            self.line(f"{name} = {names}[{node.attrs['index']}]", node)
            self.names[node] = name

    def share_with_list(self, values: Iterable[Node]) -> None:
        """Mark values as not owned, since a list now refers to them."""
        for value in values:
            self.owned -= self.bases(value) | {value}
            if value.op == "output":
                self.owned.discard((value.inputs[0], value.attrs["index"]))

    def emit_list(self, node: Node) -> None:
        self.share_with_list(node.inputs)
        name = self.names[node] = self.fresh()
        self.line(f"{name} = [{self.operands(node)}]", node)
        self.owned.add(node)

    def emit_tuple(self, node: Node) -> None:
        self.share_with_list(node.inputs)
        name = self.names[node] = self.fresh()
        self.line(f"{name} = ({''.join(self.names[i] + ', ' for i in node.inputs)})", node)

    def emit_zip(self, node: Node) -> None:
        options = ["strict=True"] if node.attrs["strict"] else []
        self.names[node] = f"zip({', '.join([*(self.names[i] for i in node.inputs), *options])})"

    def emit_dataset(self, node: Node) -> None:
        self.names[node] = f"{self.global_name(node.attrs['function'])}()"

    def emit_range(self, node: Node) -> None:
        start, stop, step = (self.names[i] for i in node.inputs)
        bounds = [stop] if (start, step) == ("0", "1") else [start, stop, step][: 2 if step == "1" else 3]
        self.names[node] = f"range({', '.join(bounds)})"

    def emit_enumerate(self, node: Node) -> None:
        source, start = (self.names[i] for i in node.inputs)
        self.names[node] = f"enumerate({source}{'' if start == '0' else ', ' + start})"

    def emit_reversed(self, node: Node) -> None:
        self.names[node] = f"reversed({self.operands(node)})"

    def writable_name(self, node: Node) -> str:
        """Return a name through which a node may modify its first input, and give the result the same name.

        Copy the input first, unless it is owned and has no later use.
        """
        target = node.inputs[0]
        if target in self.last_uses and target in self.owned:
            name: str = self.names[target]
        else:
            name = self.name_of(target)
            self.line(f"{name} = {copy_of(self.names[target], target)}", node)
        self.names[node] = name
        self.owned.add(node)
        return name

    def emit_setitem(self, node: Node) -> None:
        target, name = node.inputs[0], self.writable_name(node)
        inputs = [name, *(self.names[i] for i in node.inputs[1:])]
        key = self.argument(node.attrs["key"], inputs)
        if node.op == "setitem":
            self.line(f"{name}[{key}] = {inputs[-1]}", node)
        elif has_distinct_indices(node):
            self.line(f"{name}[{key}] += {inputs[-1]}", node)
        else:
            self.line(f"{self.global_name(np.add.at)}({name}, {key}, {inputs[-1]})", node)
        if name == self.names[target]:
            self.array_root[node] = self.array_root.get(target, target)

    emit_add_at = emit_setitem

    def write_list(self, node: Node) -> None:
        if node.op != "list_add_at":
            self.share_with_list(node.inputs[-1:])
        name = self.writable_name(node)
        self.line(_LIST_WRITES[node.op].format(name, *(self.names[i] for i in node.inputs[1:])), node)

    emit_list_append = emit_list_set = emit_list_insert = emit_list_add_at = write_list

    def emit_list_pop(self, node: Node) -> None:
        name, value = self.writable_name(node), self.fresh()
        self.line(f"{value} = {name}.pop({self.names[node.inputs[1]]})", node)
        self.names[node] = (name, value)
        self.owned.add((node, 0))

    def emit_list_update(self, node: Node) -> None:
        method = node.attrs["method"]
        self.share_with_list(node.inputs[1:])
        name, value = self.writable_name(node), "None"
        text = UPDATES[method].format(name, *(self.names[i] for i in node.inputs[1:]))
        if method in RETURNING:
            value = self.fresh()
            text = f"{value} = {text}"
        self.line(text, node)
        self.names[node] = (name, value)
        self.owned.add((node, 0))

    def emit_reference(self, node: Node) -> None:
        """Make an object of a list, or of lists in a value. Nothing else may refer to it."""
        if node.attrs["conversion"] == (None,):
            self.writable_name(node)
        else:
            name = self.names[node] = self.fresh()
            text = f"with_references({self.operands(node)}, {self.literal(node.attrs['conversion'])})"
            self.line(f"{name} = {text}", node)
        (self.owned.discard if is_reference(node.type) else self.owned.add)(node)

    def emit_reference_update(self, node: Node) -> None:
        self.share_with_list(node.inputs[1:])
        text = UPDATES[node.attrs["method"]].format(*(self.names[i] for i in node.inputs))
        if node.type is not None:
            self.names[node] = self.fresh()
            text = f"{self.names[node]} = {text}"
        self.line(text, node)

    def emit_text_method(self, node: Node) -> None:
        text, *args = (self.names[i] for i in node.inputs)
        name = self.names[node] = self.fresh()
        self.line(f"{name} = {text}.{node.attrs['method']}({', '.join(args)})", node)

    def emit_find(self, node: Node) -> None:
        table = self.global_name({key: i for i, key in enumerate(node.attrs["keys"])})
        key, name = self.names[node.inputs[0]], self.fresh()
        found = f"{table}[{key}]" if node.attrs["required"] else f"{table}.get({key}, -1)"
        self.line(f"{name} = {found}", node)
        self.names[node] = name

    def emit_check_bound(self, node: Node) -> None:
        name = self.names[node.inputs[0]]
        self.line(f"if {name} is MISSING: raise missing({node.attrs.get('symbol', '')!r})", node)
        self.names[node] = name

    def emit_some(self, node: Node) -> None:
        name = self.names[node.inputs[0]]
        if "use" in node.attrs:
            args = ", ".join(self.arguments(node))
            self.line(f"if {name} is None: use_none({node.attrs['use']!r}, {args})", node)
        self.names[node] = name

    def emit_raise(self, node: Node) -> None:
        args = ", ".join(self.arguments(node))
        self.line(f"raise {self.global_name(node.attrs['function'], 'error')}({args})", node)

    def emit_print(self, node: Node) -> None:
        self.line(f"print({', '.join(self.arguments(node))})", node)


_LIST_WRITES = {
    "list_append": "{0}.append({1})",
    "list_set": "{0}[{1}] = {2}",
    "list_insert": "{0}.insert(insertion_index({0}, {1}), {2})",
    "list_add_at": "{0}[{1}] = item_sum({0}[{1}], {2})",
}


def copy_of(text: str, value: Node) -> str:
    kind = bound_type(value.type)
    if isinstance(kind, ArrayType):
        return f"{text}.copy('K')"
    return f"list({text})" if type(kind) is ListType else f"{text}.copy()"


def has_distinct_indices(node: Node) -> bool:
    """Return whether the key of a write is guaranteed to select no element twice."""
    parts = node.attrs["key"]
    parts = parts if type(parts) is tuple else (parts,)
    kinds = [node.inputs[part.index].type for part in parts if isinstance(part, Slot)]
    return not any(isinstance(part, (list, tuple, np.ndarray)) for part in parts) and not any(
        isinstance(kind, ListType) or (isinstance(kind, ArrayType) and kind.shape and kind.dtype != bool)
        for kind in kinds
    )
