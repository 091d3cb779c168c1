import autograph_rs as ag


class Mine:
    name = "mine"

    def owns(self, kind):
        return False


class Whole(Mine):
    def staging(self):
        return False


for method in dir(ag.Backend):
    if not method.startswith("_") and not hasattr(Whole, method):
        setattr(Whole, method, lambda self, *values: None)


def wrong():
    ag.register_backend(Mine())  # <-- here
    return Mine.name


def repaired():
    assert isinstance(Whole(), ag.Backend)  # it may be registered now
    return Whole.name


EXPECTED = "mine"
