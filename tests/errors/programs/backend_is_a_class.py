import autograph_rs as ag


class Mine:
    name = "mine"

    def owns(self, kind):
        return False


def wrong():
    return ag.register_backend(Mine)  # <-- here


def repaired():
    return isinstance(Mine(), Mine)  # an object; the next error says what it lacks


EXPECTED = True
