"""Syntax of Python 3.14: template strings (PEP 750), and annotations evaluated when they are read (PEP 649)."""

from autograph_rs.testing import samples


@samples((0,), (3,))
def template_strings(n):
    text = "no"
    if n > 0:
        text = "yes"
    template = t"{n and text!r:>{n}} {n if n else text} {(m := n)} {[i for i in range(n) if i]} {t'{text}'}"
    parts = [(i.expression, i.conversion, i.format_spec) for i in template.interpolations]
    return template.strings, template.values[:4], template.values[4].values, parts, m


@samples((0,), (3,))
def annotations_of_missing_names(n):
    def f(x: Missing, *, y: n.missing = 1) -> Missing[n]:
        z: Missing = x
        return z + y if x else y

    class A:
        value: Missing
        if n:
            other: Missing = n

    return f(n), hasattr(A, "other"), hasattr(A, "value")
