"""Syntax of Python 3.13: defaults of type parameters (PEP 696)."""

from autograph_rs.testing import samples


@samples((0,), (3,))
def type_parameter_defaults(n):
    def f[T = int, *Ts = *tuple[int, str], **P = [int]](x: T):
        if x:
            return T.__default__
        return Ts.__default__, P.__default__

    class A[T: object = n if n else str]:
        type B[U = T] = list[U]

        def get(self):
            return T.__default__ if n else None

    return str(f(n)), A().get(), A.B.__type_params__[0].__name__
