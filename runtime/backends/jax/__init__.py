"""JAX as a backend; imported when a program uses JAX."""

import jax

from ...heap import note_libraries
from ...higher_order import note_framework
from .. import register_backend
from ..texts import Text
from .backend import JaxBackend

HOST = ("jax.debug", "jax.experimental", "jax.extend", "jax._src.callback", "jax._src.debugging")
"""What runs functions on the host, or compiles them in other ways."""


def register() -> None:
    jax.tree_util.register_pytree_node(
        Text,
        lambda text: (tuple(text.values), tuple(text.pieces)),
        Text,
    )
    note_libraries("jax", "jaxlib")
    note_framework("jax", but=HOST)
    register_backend(JaxBackend())
