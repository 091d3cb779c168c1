"""Export the embedded graph as an ONNX model.

`builder` constructs ONNX graphs operator by operator. `emitter` walks the embedded graph and applies the
rule for each op; `rules` collects the rules. `control_flow`, `lists`, `iterables`, `indexing` and
`python_ops` contain the rules for the graph's own ops. The families of `graph.functions` contain the rules
for NumPy's functions. `model` assembles a model for export, and `engine` one that onnxruntime runs in place
of the NumPy engine.
"""
