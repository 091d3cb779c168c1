"""NumPy's functions, one folder for each family.

A family's folder contains everything that the graph knows about its functions: `types.py` infers types,
`gradients.py` differentiates, `onnx.py` exports. Importing this package registers the type rules. The other
rules are registered when they are first needed: by `register_gradients` and by the ONNX exporter.
"""

from __future__ import annotations

from collections.abc import Iterable
from functools import cache
from types import ModuleType
from typing import Any

from ..rules import tables
from .calculus import types as calculus_types
from .calling import compositions as calling_compositions
from .creation import types as creation_types
from .elementwise import types as elementwise_types
from .fourier import types as fourier_types
from .indexing import types as indexing_types
from .joining import types as joining_types
from .linear_algebra import types as linear_algebra_types
from .products import types as products_types
from .reductions import types as reductions_types
from .scipy import types as scipy_types
from .searching import types as searching_types
from .shaping import types as shaping_types


def register(modules: Iterable[ModuleType], **registries: Any) -> None:
    """Add each module's tables to the registries of the same names."""
    for module in modules:
        for table, registry in registries.items():
            registry.update(getattr(module, table, ()))


@cache
def register_gradients() -> None:
    """Register the gradients of all families."""
    # Programs that compute no gradients do not need these modules.
    from .calculus import gradients as calculus  # noqa: PLC0415
    from .creation import gradients as creation  # noqa: PLC0415
    from .elementwise import gradients as elementwise  # noqa: PLC0415
    from .fourier import gradients as fourier  # noqa: PLC0415
    from .indexing import gradients as indexing  # noqa: PLC0415
    from .joining import gradients as joining  # noqa: PLC0415
    from .linear_algebra import gradients as linear_algebra  # noqa: PLC0415
    from .products import gradients as products  # noqa: PLC0415
    from .reductions import gradients as reductions  # noqa: PLC0415
    from .searching import gradients as searching  # noqa: PLC0415
    from .shaping import gradients as shaping  # noqa: PLC0415

    register(
        (
            calculus, creation, elementwise, fourier, indexing, joining, linear_algebra, products,
            reductions, searching, shaping,
        ),
        RULES=tables.GRADIENT_RULES,
        DEFINITIONS=tables.DEFINITIONS,
        PARTIALS=tables.PARTIALS,
        CONSTANT=tables.CONSTANT,
        UFUNC_METHODS=tables.UFUNC_METHOD_GRADIENTS,
    )  # fmt: skip


register(
    (
        calculus_types,
        calling_compositions,
        creation_types,
        elementwise_types,
        fourier_types,
        indexing_types,
        joining_types,
        linear_algebra_types,
        products_types,
        reductions_types,
        scipy_types,
        searching_types,
        shaping_types,
    ),
    RULES=tables.TYPE_RULES,
    COMPOSITIONS=tables.COMPOSITIONS,
    SCIPY_RULES=tables.SCIPY_RULES,
)
