"""The embedded graph as an ONNX model.

`builder` makes ONNX graphs of operators, `kernels` knows which of them onnxruntime computes in which dtype,
`values` says what stands for lists, tuples and variables that may be unbound. `emitter` walks the graph,
`control` has conditions and loops, `rules` a rule for each op. `model` puts the whole together.
"""

from .model import IR_VERSION, OPSET, to_model

__all__ = ["IR_VERSION", "OPSET", "to_model"]
