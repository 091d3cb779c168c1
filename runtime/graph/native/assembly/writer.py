"""Write LLVM assembly for one function: registers, blocks, branches and memory accesses."""

from __future__ import annotations

from .kinds import Kind

UNLIKELY = ", !prof !0"
METADATA = '!0 = !{!"branch_weights", i32 1, i32 4096}'


class Writer:
    """Text of a function under construction. `cold` blocks come after all others."""

    def __init__(self) -> None:
        self.lines: list[str] = []
        self.allocas: list[str] = []
        self.cold: list[str] = []
        self.declarations: dict[str, str] = {}
        self.symbols: set[str] = set()
        self.constants: list[str] = []
        self.block = "entry"
        self._count = 0

    def fresh(self, stem: str = "v") -> str:
        self._count += 1
        return f"{stem}{self._count}"

    def line(self, text: str) -> None:
        self.lines.append("  " + text)

    def op(self, text: str) -> str:
        """Emit an instruction, and return the register of its result."""
        register = "%" + self.fresh()
        self.line(f"{register} = {text}")
        return register

    def alloca(self, llvm: str, count: int = 1) -> str:
        register = "%" + self.fresh("s")
        self.allocas.append(f"  {register} = alloca {llvm}, i64 {count}")
        return register

    def label(self, name: str) -> None:
        """Start a block."""
        self.lines.append(f"{name}:")
        self.block = name

    def jump(self, target: str) -> None:
        self.line(f"br label %{target}")

    def branch(self, condition: str, then: str, orelse: str) -> None:
        self.line(f"br i1 {condition}, label %{then}, label %{orelse}")

    def leave_if(self, condition: str, target: str) -> None:
        """Jump to a block that is rarely reached if a condition holds."""
        if condition == "false":
            return
        following = self.fresh("b")
        self.line(f"br i1 {condition}, label %{target}, label %{following}{UNLIKELY}")
        self.label(following)

    def phi(self, llvm: str, *sources: tuple[str, str]) -> str:
        return self.op(f"phi {llvm} {', '.join(f'[ {value}, %{block} ]' for value, block in sources)}")

    def load(self, kind: Kind, address: str) -> str:
        value = self.op(f"load {kind.memory}, ptr {address}")
        return self.op(f"trunc i8 {value} to i1") if kind.llvm == "i1" else value

    def store(self, kind: Kind, value: str, address: str) -> None:
        if kind.llvm == "i1":
            value = self.op(f"zext i1 {value} to i8")
        self.line(f"store {kind.memory} {value}, ptr {address}")

    def offset(self, address: str, distance: str) -> str:
        """Return the address at a distance in bytes."""
        return address if distance == "0" else self.op(f"getelementptr i8, ptr {address}, i64 {distance}")

    def element(self, kind: Kind, address: str, index: str) -> str:
        """Return the address of an element, given that of the first.

        LLVM recognizes in it what the iteration before stored, which it does not in a sum of bytes.
        """
        if index == "0":
            return address
        return self.op(f"getelementptr {kind.memory}, ptr {address}, i64 {index}")

    def call(self, result: str, name: str, *arguments: tuple[str, str]) -> str:
        """Call a function. `arguments` are pairs of type and value."""
        types = ", ".join(llvm for llvm, _ in arguments)
        self.declarations[name] = f"declare {result} @{name}({types})"
        text = f"call {result} @{name}({', '.join(f'{llvm} {value}' for llvm, value in arguments)})"
        if result == "void":
            self.line(text)
            return ""
        return self.op(text)

    def external(self, result: str, name: str, *arguments: tuple[str, str]) -> str:
        """Call a function of the process, which the linker binds by name."""
        self.symbols.add(name)
        return self.call(result, name, *arguments)

    def external_data(self, name: str) -> str:
        """Return the address of something in the process, which the linker binds by name."""
        self.symbols.add(name)
        self.declarations[name] = f"@{name} = external global i8"
        return f"@{name}"

    def use(self, llvm: str, value: str) -> None:
        """Have LLVM compute a value here, in which loops it vectorizes nothing. It takes no instruction."""
        self.declarations["llvm.fake.use"] = "declare void @llvm.fake.use(...)"
        self.line(f"call void (...) @llvm.fake.use({llvm} {value})")

    def constant_data(self, data: bytes) -> str:
        """Return the address of constant bytes, aligned for any number."""
        name = f"data{len(self.constants)}"
        text = "".join(f"\\{byte:02X}" for byte in data)
        self.constants.append(f'@{name} = private constant [{len(data)} x i8] c"{text}", align 16')
        return f"@{name}"

    # --- Integers of 64 bits, as used for dimensions, with constants folded -----------------------

    def add(self, a: str, b: str) -> str:
        if _is_literal(a) and _is_literal(b):
            return str(int(a) + int(b))
        return b if a == "0" else a if b == "0" else self.op(f"add nsw i64 {a}, {b}")

    def mul(self, a: str, b: str) -> str:
        if _is_literal(a) and _is_literal(b):
            return str(int(a) * int(b))
        if "0" in (a, b):
            return "0"
        return b if a == "1" else a if b == "1" else self.op(f"mul nsw i64 {a}, {b}")

    def compare(self, predicate: str, a: str, b: str) -> str:
        if _is_literal(a) and _is_literal(b):
            x, y = int(a), int(b)
            return str({"eq": x == y, "ne": x != y, "slt": x < y, "sge": x >= y}[predicate]).lower()
        return self.op(f"icmp {predicate} i64 {a}, {b}")

    def either(self, a: str, b: str) -> str:
        if "true" in (a, b):
            return "true"
        return b if a == "false" else a if b == "false" else self.op(f"or i1 {a}, {b}")

    def text(self, name: str) -> str:
        """Return the function, with one parameter `%frame`."""
        head = [f"define i64 @{name}(ptr %frame) {{", "entry:", *self.allocas, "  br label %start", "start:"]
        return "\n".join([*head, *self.lines, *self.cold, "}"])


def _is_literal(value: str) -> bool:
    return value.lstrip("-").isdigit()
