"""The PyTorch backend, imported once a program has imported PyTorch.

Tensors traced by `export` (with strict=False) or `make_fx` are staged, and so are dynamic sizes.
"""

import json
from typing import Any

import torch

from ...staging.state.missing_values import OptionalStructure
from ...values import selected_container
from .. import COMPILERS, register_backend
from ..functional.optional_values import (
    Optional,
    from_parts,
    optional_parts,
    structure_from_parts,
    structure_parts,
)
from ..functional.staged_text import Text
from .backend import TorchBackend
from .private import pytree, skip_when_compiling

try:
    from .compiling import call
except AttributeError:  # a PyTorch with another Dynamo: its calls are Python's, as without this package

    def call(_: Any, original: Any, args: Any, kwargs: Any) -> Any:
        return original(*args, **kwargs)


COMPILERS.append((torch.compiler.is_dynamo_compiling, call))  # importing Dynamo may import this package


def register() -> None:
    pytree.register_pytree_node(
        Text,
        lambda text: (list(text.values), tuple(text.pieces)),
        lambda values, pieces: Text(pieces, list(values)),
        serialized_type_name="autograph_rs.Text",
        to_dumpable_context=json.dumps,
        from_dumpable_context=lambda text: tuple(
            p if isinstance(p, str) else tuple(p) for p in json.loads(text)
        ),
    )
    pytree.register_pytree_node(
        Optional,
        optional_parts,
        lambda parts, backend: from_parts(backend, parts),
        serialized_type_name="autograph_rs.Optional",
    )
    pytree.register_pytree_node(
        OptionalStructure,
        structure_parts,
        lambda children, _: structure_from_parts(None, list(children)),
        serialized_type_name="autograph_rs.OptionalStructure",
    )
    for kind in selected_container.KINDS:
        pytree.register_pytree_node(
            kind,
            selected_container.tree_flatten,
            lambda parts, keys: selected_container.tree_unflatten(keys, parts),
        )
    register_backend(TorchBackend())
    skip_when_compiling(
        *(
            f"operators.{name}"
            for name in ("builtins", "calls", "expressions", "logical", "subscripts", "variables")
        ),
        "debugging.frames",
    )
