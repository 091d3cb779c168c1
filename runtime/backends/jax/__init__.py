"""The JAX backend, imported once a program has imported JAX."""

import jax

from ...debugging.tracebacks import FULL, INTERNAL_FOLDERS
from ...operators.higher_order import register_framework, register_transparent
from ...staging.state.missing_values import OptionalStructure
from ...values import selected_container
from ...values.locations import register_libraries
from .. import register_backend
from ..functional.optional_values import (
    Optional,
    from_parts,
    optional_parts,
    structure_from_parts,
    structure_parts,
)
from ..functional.staged_text import Text
from .backend import JaxBackend
from .bounded_arrays import BoundedArray
from .bounded_lists import BoundedList
from .private import api_boundary, hide_frames

UNCONVERTED = ("jax.debug", "jax.experimental", "jax.extend", "jax._src.callback", "jax._src.debugging")
"""Modules whose functions run the functions passed to them on the host, or compile them in other ways."""


def register() -> None:
    for folder in () if FULL else INTERNAL_FOLDERS:
        hide_frames(folder)
    jax.tree_util.register_pytree_node(Text, lambda text: (tuple(text.values), tuple(text.pieces)), Text)
    jax.tree_util.register_pytree_node(Optional, optional_parts, from_parts)
    jax.tree_util.register_pytree_node(OptionalStructure, structure_parts, structure_from_parts)
    jax.tree_util.register_pytree_node(
        BoundedArray, lambda array: ([array.data, array.length], None), lambda _, parts: BoundedArray(*parts)
    )
    jax.tree_util.register_pytree_node(
        BoundedList, lambda items: ([items.array()], None), lambda _, parts: parts[0]
    )
    for kind in selected_container.KINDS:
        jax.tree_util.register_pytree_node(
            kind, selected_container.tree_flatten, selected_container.tree_unflatten
        )
    register_libraries("jax", "jaxlib")
    register_framework("jax", but=UNCONVERTED)
    if api_boundary is not None:
        register_transparent(api_boundary)
    register_backend(JaxBackend())
