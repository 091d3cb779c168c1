"""A module of a package in a namespace package."""


def up(x):
    count = x * 0
    while count < x:
        count = count + 2
    return count
