"""Errors about what ONNX cannot say."""

from __future__ import annotations

from ...errors import SaveError
from ...graph.ir import Node

REFUSED = "cannot be exported to ONNX"
NOT_RUN = "cannot be run by onnxruntime"


def by_engine(error: SaveError) -> SaveError:
    """The error of an export, in the words of an engine that would run the model."""
    error.args = (str(error.args[0]).replace(REFUSED, NOT_RUN),)
    return error


def unsayable(node: Node, why: str, remedy: str, what: str = "") -> SaveError:
    """The error for a node; its place is the user's line that made the node.

    Args:
        node: what cannot be exported.
        why: what ONNX lacks.
        remedy: what to write instead.
        what: the node, in words; its op if not given.
    """
    name = node.op.replace("numpy.ndarray.", "ndarray.")
    return SaveError(
        f"{what or name} {REFUSED}",
        why=why,
        remedy=remedy,
        place=next(iter(node.places[-1:]), None),
    )


def no_rule(node: Node) -> SaveError:
    return unsayable(
        node,
        "the exporter has no ONNX operators for it",
        "compute it with other functions, or before or after the model runs",
    )


def with_options(node: Node, options: str) -> SaveError:
    return unsayable(
        node,
        f"the exporter has no ONNX operators for it with {options}",
        "leave that out, or compute it in another way",
    )


def no_dtype(node: Node, dtype: object, kind: str) -> SaveError:
    return unsayable(
        node,
        f"onnxruntime has no {kind} of {dtype}, and no wider dtype that would give the same",
        "convert to another dtype first: x.astype(np.float64)",
        f"{node.op} of {dtype}",
    )
