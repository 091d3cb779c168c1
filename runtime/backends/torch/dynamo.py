"""Interfaces of Dynamo, the part of `torch.compile` that reads code. All are private.

This module and `private` import private modules of torch, and no others do.
"""

from __future__ import annotations

import contextlib
import functools
import operator
import types
from collections.abc import Callable, Collection, Iterator, Sequence
from typing import Any, NoReturn

import torch

# The mode behind `torch.set_default_device`.
from torch.utils._device import DeviceContext

from ...debugging.tracebacks import drop_current_frame
from .private import pytree

try:  # Dynamo lets no public function choose its graph, inputs and guards.
    from torch._dynamo import exc as _exc
    from torch._dynamo import guards as _guards
    from torch._dynamo import source as _source
    from torch._dynamo import variables as _variables
    from torch._dynamo.bytecode_transformation import create_call_function as _create_call_function
    from torch._dynamo.variables import builder as _builder
    from torch._dynamo.variables import higher_order_ops as _higher_order_ops
    from torch._dynamo.variables.torch_function import torch_function_mode_stack_state_mgr as _function_modes
    from torch._functorch import config as _functorch_config
    from torch._inductor import config as _inductor_config
except ImportError:  # then `make_dynamo_operator` raises, and nothing captures calls in torch.compile
    _higher_order_ops = None


@contextlib.contextmanager
def default_device_of_program() -> Iterator[None]:
    """Create tensors on the default device of the compiled program.

    While Dynamo reads code, it has left the modes of `set_default_device` and `with torch.device`.
    """
    with contextlib.ExitStack() as stack:
        for mode in _function_modes.stack:
            if isinstance(mode, DeviceContext):
                stack.enter_context(torch.device(mode.device))
        yield


class Dynamo:
    """The parts of Dynamo, which reads the code of a compiled function, that a call reached by it needs.

    No public interface lets a function choose its graph, inputs and guards.
    """

    def __init__(self, translator: Any):
        self._tx, self._output = translator, translator.output

    def parts(self, variable: Any) -> tuple[Any, Any]:
        """Return the value of a variable and None, or its constructor and the variables of its items."""
        kinds = _variables
        if isinstance(variable, kinds.TensorVariable) and not isinstance(
            variable, (kinds.NumpyNdarrayVariable, kinds.UnspecializedPythonVariable)
        ):
            return variable.proxy.node.meta["example_value"], None
        if isinstance(variable, kinds.SymNodeVariable):
            return variable.sym_num, None
        if type(variable) in (kinds.ListVariable, kinds.TupleVariable):
            return variable.python_type(), variable.items
        if isinstance(variable, kinds.NamedTupleVariable):
            return variable.tuple_cls._make, variable.items
        if type(variable) is kinds.ConstDictVariable and variable.python_type() is dict:
            return dict, {key.vt.as_python_constant(): value for key, value in variable.items.items()}
        if variable.is_python_constant():
            value = variable.as_python_constant()
            if callable(value) and variable.source is not None:
                self._guard_identity(variable)
            return value, None
        if isinstance(variable, kinds.UserMethodVariable):
            return lambda items: types.MethodType(variable.fn, *items), [variable.obj]
        value = getattr(variable, "value", None)
        if value is None or variable.source is None:
            raise TypeError(variable.python_type_name())
        self._guard_identity(variable)
        return value, None

    def _guard_identity(self, variable: Any) -> None:
        _guards.install_guard(variable.source.make_guard(_guards.GuardBuilder.ID_MATCH))

    def pending(self, ids: Collection[int]) -> list[tuple[Any, str, Any]]:
        """Return the changes that the program has made so far to objects with these ids.

        Each is an object, the name of an attribute and the variable of its new value.

        Raises:
            TypeError: an object has changed in another way; its message is the name of the type.
        """
        effects, found = self._output.side_effects, []
        for key, variable in effects.id_to_variable.items():
            if key in ids and effects.is_modified(variable):
                attributes = effects.store_attr_mutations.get(variable)
                is_object = isinstance(variable, _variables.UserDefinedObjectVariable)
                if not attributes or not is_object or variable.is_base_vt_modified(effects):
                    raise TypeError(variable.python_type_name())
                found += [(variable.value, name, value) for name, value in attributes.items()]
        return found

    @contextlib.contextmanager
    def faking(self) -> Iterator[None]:
        with self._output.fake_mode:
            yield

    def _global(self, value: Any) -> Any:
        """Return the source of an object that exists before the program runs."""
        return _source.GlobalSource(self._output.install_global_by_id("autograph_rs", value))

    def existing(self, value: Any, owner: Any = None, key: Any = None) -> Any:
        """Return the variable of an object, or of what the program finds in an owner when it runs."""
        if owner is None:
            source = self._global(value)
        elif isinstance(owner, (list, dict)):
            kind = _source.GetItemSource if isinstance(owner, list) else _source.DictGetItemSource
            source = kind(self._global(owner), key)
        else:
            source = _source.AttrSource(self._global(owner), key)
        with torch.utils._python_dispatch._disable_current_modes():
            return _variables.base.VariableTracker.build(self._tx, value, source).realize()

    def sequence(self, kind: type, items: list[Any]) -> Any:
        return (_variables.ListVariable if kind is list else _variables.TupleVariable)(
            items, mutation_type=_variables.base.ValueMutationNew()
        )

    def constant(self, value: Any) -> Any:
        return _variables.base.VariableTracker.build(self._tx, value)

    def unflattened(self, leaves: list[Any], spec: Any) -> Any:
        function = self.constant(pytree.tree_unflatten)
        return function.call_function(self._tx, [self.sequence(list, leaves), self.constant(spec)], {})

    def built_at_the_end(self, function: Callable[..., Any], arguments: Sequence[Any]) -> Any:
        """Return the variable of what a function makes of variables when the compiled program has run."""
        return _BuiltAtTheEnd(self._output.install_global("autograph_rs", function), list(arguments))

    def add(self, graph: torch.fx.GraphModule, inputs: Sequence[Any], values: Sequence[Any]) -> list[Any]:
        """Copy the nodes of a graph into Dynamo's; return the variables of its results, the fake `values`."""
        output = self._output
        placeholders = [node for node in graph.graph.nodes if node.op == "placeholder"]
        variables = dict(zip(placeholders, inputs, strict=True))
        proxies = {node: variable.as_proxy() for node, variable in variables.items()}
        names: dict[int, str] = {}
        for node in graph.graph.nodes:
            if node.op not in ("placeholder", "output"):
                target = node.target
                if node.op == "get_attr":
                    held = getattr(graph, target)
                    if isinstance(held, torch.Tensor):
                        proxies[node] = self.existing(held).as_proxy()
                        continue
                    if id(held) not in names:  # several nodes may have one inner graph
                        names[id(held)] = output.install_subgraph("converted", held)
                    target = names[id(held)]
                args, kwargs = torch.fx.node.map_arg((node.args, node.kwargs), proxies.__getitem__)
                proxies[node] = output.create_proxy(node.op, target, args, kwargs)
                _builder.set_example_value(proxies[node].node, node.meta.get("val"))
        [results] = graph.graph.output_node().args
        for node, value in zip(results, values, strict=True):
            if node not in variables:
                proxies[node].node.meta.pop("example_value")
                variables[node] = _builder.wrap_fx_proxy(self._tx, proxies[node], example_value=value)
        return [variables[node] for node in results]

    def protect_inputs(self) -> None:
        """Have the compiled program overwrite none of the inputs of its inner graphs that are still needed.

        Inductor overwrites inputs of an inner graph that are used again after it. And where it folds an
        addition of zero, the body of a loop may return one of its inputs: inductor then uses the memory of
        that input again while the result is still needed.
        """
        compile_graph = self._output.compiler_fn

        @functools.wraps(compile_graph)
        def compiler(*args: Any, **kwargs: Any) -> Any:
            with (
                _functorch_config.patch(donated_buffer=False),
                _inductor_config.patch(joint_graph_constant_folding=False),
            ):
                return compile_graph(*args, **kwargs)

        self._output.compiler_fn = compiler

    def guard(self, check: Callable[..., bool]) -> None:
        """Make Dynamo capture again when a check fails before a run."""

        def add(builder: Any, guard: Any) -> None:
            builder.guard_manager.root.add_lambda_guard(check, ["the state that converted code reads"], None)

        _guards.install_guard(_guards.Guard(_source.GlobalStateSource(), add))

    def assign(self, owner: Any, key: Any, value: Any, *, is_item: bool) -> None:
        """Make the compiled program assign a value to an attribute or an item of an existing object."""
        function = self.constant(operator.setitem if is_item else setattr)
        function.call_function(self._tx, [self.existing(owner), self.constant(key), value], {})

    @staticmethod
    def refuse(what: str, error: Exception, why: str, remedy: str) -> None:
        """End the graph before the call, which is an error if there must be one graph."""
        if isinstance(error, _exc.TorchDynamoException):
            raise error
        _exc.unimplemented(gb_type=what, context=what, explanation=why, hints=[remedy], from_exc=error)


if _higher_order_ops is not None:

    class _BuiltAtTheEnd(_variables.base.VariableTracker):
        """What a global function makes of its arguments in the code that Dynamo runs after the graph."""

        def __init__(self, function: str, arguments: list[Any], **options: Any):
            super().__init__(**options)
            self.function, self.arguments = function, arguments

        def reconstruct(self, codegen: Any) -> None:
            load = functools.partial(codegen.create_load_global, self.function, add=True)
            codegen.add_push_null(lambda: codegen.append_output(load()))
            for argument in self.arguments:
                codegen(argument)
            codegen.extend_output(_create_call_function(len(self.arguments), False))

        def python_type(self) -> NoReturn:
            raise _exc.unimplemented(
                gb_type="a result of a converted function has no form yet",
                context=self.function,
                explanation="Whether it is None, and what a text says, is known when the graph has run.",
                hints=["Convert the function that uses it, too (autograph_rs.convert), or only return it."],
            )

        get_real_python_backed_value = python_type
        """What `is` compares. For a value that Dynamo does not know, it would be false."""


def tables_of(value: Any) -> list[dict[str, Any]]:
    """Return the dicts in which a module keeps its parameters and buffers, and no dicts for other values."""
    return [value._parameters, value._buffers] if isinstance(value, torch.nn.Module) else []


def make_dynamo_operator(name: str, handler: Callable[[Dynamo, Any], Any], run: Callable[..., Any]) -> Any:
    """Return a function that Dynamo hands to a handler, with its variables, and that runs `run` elsewhere."""

    class Operator(torch._ops.HigherOrderOperator):
        def __init__(self) -> None:
            super().__init__(name)

        def __call__(self, *args: Any) -> Any:
            try:
                return run(*args)
            except BaseException as error:
                drop_current_frame(error)
                raise

    class Variable(_higher_order_ops.TorchHigherOrderOperatorVariable):
        _HOP_NAME = name

        def _call_function(self, tx: Any, args: Any, kwargs: Any) -> Any:
            return handler(Dynamo(tx), args)

    _higher_order_ops._hop_name_to_variable_class[name] = Variable
    return Operator()
