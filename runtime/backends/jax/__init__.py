"""JAX as a backend; imported when a program uses JAX."""

import jax

from ...heap import note_libraries
from .. import register_backend
from ..texts import Text
from .backend import JaxBackend


def register() -> None:
    jax.tree_util.register_pytree_node(
        Text,
        lambda text: (tuple(text.values), tuple(text.pieces)),
        Text,
    )
    note_libraries("jax", "jaxlib")
    register_backend(JaxBackend())
