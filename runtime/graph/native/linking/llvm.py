"""LLVM, through llvmlite: optimize assembly, produce object code for this CPU, and link it."""

from __future__ import annotations

import ctypes
import functools
from typing import Any

from ..assembly.statuses import UnsupportedError
from ..operations.numpy_loops import address_of

_OLDEST_LLVM = 20
"""The first version that reads assembly with opaque pointers, in llvmlite 0.45."""


@functools.cache
def _binding() -> Any:
    from llvmlite import binding  # noqa: PLC0415 - loaded with the first region

    if binding.llvm_version_info[0] < _OLDEST_LLVM:
        raise UnsupportedError("the installed llvmlite is older than 0.45")
    binding.initialize_native_target()
    binding.initialize_native_asmprinter()
    return binding


def _machine() -> Any:
    """Return the description of this CPU. An engine owns the one that it is created with."""
    binding = _binding()
    return binding.Target.from_default_triple().create_target_machine(
        cpu=binding.get_host_cpu_name(),
        features=binding.get_host_cpu_features().flatten(),
        opt=3,
        jit=True,
        reloc="pic",
        codemodel="jitdefault",
    )


def target_name() -> str:
    """Return what object code depends on besides the assembly: the LLVM version and the CPU."""
    binding = _binding()
    version = ".".join(map(str, binding.llvm_version_info))
    return f"{version} {binding.get_host_cpu_name()} {binding.get_host_cpu_features().flatten()}"


def object_code(assembly: str) -> bytes:
    """Compile LLVM assembly to object code."""
    binding, machine = _binding(), _machine()
    module = binding.parse_assembly(assembly)
    module.triple, module.data_layout = machine.triple, str(machine.target_data)
    module.verify()
    options = binding.create_pipeline_tuning_options(speed_level=3)
    builder = binding.create_pass_builder(machine, options)
    builder.getModulePassManager().run(module, builder)
    return bytes(machine.emit_object(module))


class Library:
    """Linked object code. The functions are valid as long as the library lives."""

    def __init__(self, code: bytes, symbols: list[str]):
        binding = _binding()
        for symbol in symbols:
            binding.add_symbol(symbol, address_of(symbol) or _unused_address())
        self._engine = binding.create_mcjit_compiler(binding.parse_assembly(""), _machine())
        self._engine.add_object_file(binding.ObjectFileRef.from_data(code))
        self._engine.finalize_object()

    def address(self, name: str) -> int:
        return int(self._engine.get_function_address(name))


@functools.cache
def _unused_address() -> int:
    """Return an address for data that a loop does not read."""
    return ctypes.addressof(_UNUSED)


_UNUSED = ctypes.c_int64()
