"""PyTorch: tensors that `export` (with strict=False) or `make_fx` traces are staged, and sizes that vary.

Imported when a program uses PyTorch.
"""

import json

from torch.utils import _pytree as pytree  # where torch.export says how its arguments and results are registered

from .. import register_backend
from ..texts import Text
from .backend import TorchBackend


def register() -> None:
    pytree.register_pytree_node(
        Text,
        lambda text: (list(text.values), tuple(text.pieces)),
        lambda values, pieces: Text(pieces, list(values)),
        serialized_type_name="autograph_rs.Text",
        to_dumpable_context=json.dumps,
        from_dumpable_context=lambda text: tuple(p if isinstance(p, str) else tuple(p) for p in json.loads(text)),
    )
    register_backend(TorchBackend())
