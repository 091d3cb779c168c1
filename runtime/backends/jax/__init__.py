"""JAX as a backend; imported when a program uses JAX."""

import jax
from jax.extend.source_info_util import register_exclusion

from ... import chosen
from ...higher_order import note_framework
from ...slots import note_libraries
from ...tracebacks import FULL, own_folders
from .. import register_backend
from ..texts import Text
from .backend import JaxBackend

HOST = ("jax.debug", "jax.experimental", "jax.extend", "jax._src.callback", "jax._src.debugging")
"""What runs functions on the host, or compiles them in other ways."""


def register() -> None:
    for folder in () if FULL else own_folders():
        register_exclusion(folder)  # JAX notes the user's line as that from which an operation is
    jax.tree_util.register_pytree_node(
        Text,
        lambda text: (tuple(text.values), tuple(text.pieces)),
        Text,
    )
    for kind in chosen.KINDS:
        jax.tree_util.register_pytree_node(kind, chosen.taken_apart, chosen.made_whole)
    note_libraries("jax", "jaxlib")
    note_framework("jax", but=HOST)
    register_backend(JaxBackend())
