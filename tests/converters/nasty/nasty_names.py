"""Names that Python changes: private ones, those of classes, and those of other letters."""

from autograph_rs.testing import samples


@samples((0,), (3,))
def class_cells(n):
    class A:
        def own(self):
            return __class__.__name__ if n else __class__

        def deep(self):
            def inner():
                if n:
                    return __class__
                return [__class__ for _ in "a"], (lambda: __class__)()

            return inner()

        @classmethod
        def made(cls):
            return super().__new__(cls) if n else super()

        def __init_subclass__(cls, **kwargs):
            super().__init_subclass__()
            if kwargs:
                cls.told = kwargs

        def __set_name__(self, owner, name):
            if n:
                self.name = owner.__name__, name

    class B(A, key=n):
        attribute = A()

        def own(self):
            for _ in range(2):
                if n:
                    return super().own(), super(B, self).own(), super(__class__, self).own()
            return [super(B, self).own() for _ in "a"]

    b = B()
    return b.own() == ("A",) * 3, b.deep() == A, type(B.made()).__name__, B.told, getattr(B.attribute, "name", None)


@samples((0,), (3,))
def mangled_names(n):
    class _A__:
        __x = n

        def __m(self, __y=2):
            __z = __y if n else self.__x
            global __g
            __g = __z
            for __i in range(3):
                if __i == n:
                    break
            try:
                raise KeyError(n)
            except KeyError as __e:
                __w = str(__e)
            del __y
            import math as __math
            def __inner(__a, *, __b=1):
                nonlocal __z
                __z += 1
                return __a + __b + __z
            match {"k": n}:
                case {"k": __value, **__rest}:
                    pass
            return __z, __i, __w, __math.floor(1.5), __inner(1), [__q for __q in "a"], self.__dict__, __value, __rest

        def call(self):
            self.__attribute = 1
            return self.__m(3), self.__m(), hasattr(self, "_A____x"), self.__class__.__name__

    return _A__().call(), sorted(vars(_A__))[:2], globals().pop("_A____g")


class _Private:
    """Is converted method by method, out of its class."""

    __x = 5

    def __init__(self, **given):
        self.__given = given

    def keywords(self, n, **given):
        try:
            return self.__with(__y=n)
        except TypeError as error:
            return str(error), dict(__a=n), self.__with(**{"_Private__y": n})

    def __with(self, __y=2):
        return __y if __y else self.__x

    def names(self, n):
        import math as __math
        from sys import maxsize as __size

        for __i in range(3):
            if __i == n:
                break
        match self:
            case _Private(__given=__found):
                return "mangled"
            case _Private(_Private__given={"k": __k, **__rest}) if __k or n:
                return __i, __math.floor(1.5), __size > 0, __k, __rest

    def classes(self, n):
        class __Inner:
            __y = n

            def get(self):
                return self.__y if n else 0

        try:
            raise KeyError(n)
        except KeyError as __error:
            return __Inner().get(), sorted(vars(__Inner))[:1], [__z for __z in str(__error)], self.__given, __name__


@samples((0,), (3,))
def mangled_names_of_methods(n):
    p = _Private(k=n, j=1)
    return p.keywords(n), p.names(n), p.classes(n)


@samples((0,), (2,))
def unicode_names(n):
    ﬁ = n
    if n:
        ﬁ += 1
        µ = ﬁ
    else:
        µ = 0
    for ªª in range(n):
        μ = ªª

    class Ünder:
        ﬀ = 1

        def __𝐱(self):
            return self.ﬀ if n else 0

        def call(self, *, ﬁ=n):
            return self.__x(), ﬁ

    return fi, μ, µ, Ünder().call(fi=5), Ünder.__name__, "ﬁ", sorted(name for name in locals() if len(name) < 3)
