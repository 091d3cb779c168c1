"""A module that is installed for editing: it lies in a folder without distributions."""


def below(x, limit):
    while x >= limit:
        x = x - limit
    return x
