"""Errors for constructs that ONNX cannot express."""

from __future__ import annotations

from ....errors import SaveError
from ....graph.ir.graph import Node

NOT_EXPORTABLE = "cannot be exported to ONNX"
NOT_RUNNABLE = "cannot be run by onnxruntime"


def reword_for_engine(error: SaveError) -> SaveError:
    """Reword an export error for an engine, which runs the model instead of exporting it."""
    error.args = (str(error.args[0]).replace(NOT_EXPORTABLE, NOT_RUNNABLE),)
    return error


def unsupported_node(node: Node, why: str, remedy: str, what: str = "") -> SaveError:
    """Return the error for a node, at the user's line that created it. The message names `what` or the op."""
    name = node.op.replace("numpy.ndarray.", "ndarray.")
    return SaveError(
        f"{what or name} {NOT_EXPORTABLE}",
        why=why,
        remedy=remedy,
        place=next(iter(node.places[-1:]), None),
    )


def no_rule(node: Node) -> SaveError:
    return unsupported_node(
        node,
        "the exporter has no ONNX operators for it",
        "compute it with other functions, or outside of the model",
    )


def unsupported_options(node: Node, options: str) -> SaveError:
    return unsupported_node(
        node,
        f"the exporter has no ONNX operators for it with {options}",
        "change the operation, or compute the result in another way",
    )


def unsupported_dtype(node: Node, dtype: object, kind: str) -> SaveError:
    return unsupported_node(
        node,
        f"onnxruntime has no {kind} of {dtype}, and no wider dtype gives the same result",
        "convert to another dtype first: x.astype(np.float64)",
        f"{node.op} of {dtype}",
    )
