"""Backends for tensor systems: their protocol, and the registry that finds the backend of a value."""

from .protocol import Backend, BackendNeutral, Capture
from .registry import (
    AFTER_REGISTRATION,
    BACKENDS,
    CALL_TRACERS,
    COMPILERS,
    MAX_TYPES,
    has_backends,
    is_staging,
    load_backends,
    register_backend,
    staged_by,
)

__all__ = [
    "AFTER_REGISTRATION",
    "BACKENDS",
    "CALL_TRACERS",
    "COMPILERS",
    "MAX_TYPES",
    "Backend",
    "BackendNeutral",
    "Capture",
    "has_backends",
    "is_staging",
    "load_backends",
    "register_backend",
    "staged_by",
]
