"""What the rest of a running function reads: variables, and the operands of unfinished expressions.

In `(items, add(items))`, Python puts `items` on its stack before it calls `add`. If `add` binds the variable
to another object, the tuple still gets the first one.
"""

from __future__ import annotations

import dis
import functools
import types

Stack = tuple[frozenset[str], ...]
"""For each operand, the variables whose values it may refer to."""
_NONE: frozenset[str] = frozenset()
_KEEPS = ("BUILD_", "CALL", "PRECALL", "LOAD_")  # the result may refer to the operands
_KNOWN = frozenset(("GET_ITER", "GET_YIELD_FROM_ITER", "BEFORE_WITH"))
_POPS = ("POP_", "STORE_", "DELETE_", "RETURN_", "LIST_", "SET_", "MAP_", "DICT_", "END_")


def pending_variables(frame: types.FrameType) -> frozenset[str]:
    """Return the variables that operands of unfinished expressions of a function may refer to.

    The operands of the instruction that the function is executing do not count.

    >>> import sys
    >>> def outer():
    ...     first = second = 0
    ...     return (first, inner(second))
    >>> def inner(value):
    ...     return sorted(pending_variables(sys._getframe(1)))
    >>> outer()[1]
    ['first']
    """
    stacks = _stacks(frame.f_code)
    offset = max(k for k in stacks if k <= frame.f_lasti)  # which may be in an inline cache
    return frozenset().union(*stacks[offset])


def is_read_later(frame: types.FrameType, name: str) -> bool:
    """Return whether a function may use the value of a variable after the instruction that it executes.

    The answer is True for variables of closures, and in functions that can ask for all variables.
    """
    code = frame.f_code
    is_local = name in code.co_varnames and name not in code.co_cellvars
    if not is_local or not _READING_ALL.isdisjoint(code.co_names):
        return True
    return name in _names_read_after(code, frame.f_lasti) or name in pending_variables(frame)


_READING_ALL = frozenset(("locals", "vars", "dir", "eval", "exec"))


@functools.lru_cache(1024)
def _names_read_after(code: types.CodeType, offset: int) -> frozenset[str]:
    """Return the local variables that instructions after an offset read, in any loop around it, too."""
    instructions = [*dis.get_instructions(code)]
    jumps = [i for i in instructions if i.opcode in dis.hasjrel and i.argval < i.offset]
    first = offset + 1
    while targets := [jump.argval for jump in jumps if jump.offset >= first and jump.argval < first]:
        first = min(targets)
    loads = [i.argval for i in instructions if i.offset >= first and "LOAD_FAST" in i.opname]
    return frozenset(name for names in loads for name in ((names,) if isinstance(names, str) else names))


@functools.lru_cache(256)
def _stacks(code: types.CodeType) -> dict[int, Stack]:
    """Return what is below the operands of each instruction, by its offset."""
    instructions = [i for i in dis.get_instructions(code) if i.opname != "CACHE"]
    at = {instruction.offset: k for k, instruction in enumerate(instructions)}
    handlers = dis.Bytecode(code).exception_entries  # type: ignore[attr-defined]  # not in typeshed
    known: dict[int, Stack] = {}
    below: dict[int, Stack] = {}
    waiting: list[tuple[int, Stack]] = [(0, ())]
    while waiting:
        k, stack = waiting.pop()
        if k >= len(instructions):
            continue
        old = known.get(k)
        if old is not None:
            stack = tuple(a | b for a, b in zip(old, stack, strict=False))
            if stack == old:
                continue
        known[k] = stack
        instruction = instructions[k]
        rest, after = _step(instruction, stack, jumps=False)
        below[instruction.offset] = rest
        if not _ends(instruction):
            waiting.append((k + 1, after))
        waiting += [
            (at[entry.target], (*stack[: entry.depth], *[_NONE] * (1 + entry.lasti)))
            for entry in handlers
            if entry.start <= instruction.offset < entry.end
        ]
        if instruction.opcode in dis.hasjrel or instruction.opcode in dis.hasjabs:
            waiting.append((at[instruction.argval], _step(instruction, stack, jumps=True)[1]))
    return below


def _ends(instruction: dis.Instruction) -> bool:
    name = instruction.opname
    return name.startswith(("RETURN_", "RAISE_VARARGS", "RERAISE", "JUMP_")) and not (
        name.startswith("JUMP_IF") or name == "RETURN_GENERATOR"
    )


def _step(instruction: dis.Instruction, stack: Stack, *, jumps: bool) -> tuple[Stack, Stack]:
    """Return what is below the operands of an instruction, and the stack after it."""
    name, argument = instruction.opname, instruction.arg
    takes_argument = instruction.opcode >= dis.HAVE_ARGUMENT
    net = dis.stack_effect(instruction.opcode, argument if takes_argument else None, jump=jumps)
    if name == "COPY" and argument is not None:
        return stack, (*stack, stack[-argument])
    if name == "SWAP" and argument is not None:
        items = [*stack]
        items[-1], items[-argument] = items[-argument], items[-1]
        return stack, tuple(items)
    if name in _KNOWN:  # to alias analysis, as iterators and context managers
        return stack[:-1], (*stack[:-1], *[_NONE] * (1 + net))
    if net > 0:
        value = instruction.argval
        names = value if isinstance(value, tuple) else (value,)
        is_read = name.startswith("LOAD_") and name != "LOAD_CONST"
        read = frozenset(n for n in names if isinstance(n, str)) if is_read else _NONE
        return stack, (*stack, *[read] * net)
    if net == 0:  # such as an attribute or an iterator, which refer to their operand
        return stack[:-1], stack
    if name.startswith(_POPS):
        return stack[:net], stack[:net]
    rest, operands = stack[: net - 1], stack[net - 1 :]
    result = frozenset().union(*operands) if name.startswith(_KEEPS) else _NONE
    return rest, (*rest, result)
