"""Attributes as state of branches and loops, of objects that the sample makes."""

import numpy as np

from autograph_rs.testing import samples


class Account:
    """Something with an attribute, and methods that change it."""

    def __init__(self, balance, bank=None):
        self.balance = balance
        self.bank = bank

    def deposit(self, amount):
        self.balance += amount
        return self.balance

    def withdraw(self, amount):
        if amount > self.balance:
            return False
        self.balance -= amount
        return True


class Bank:
    """Something that holds another thing."""

    def __init__(self):
        self.fees = 0
        self.main = Account(0, self)


class Celsius:
    """Something whose attribute is a property."""

    def __init__(self):
        self._degrees = 0.0

    @property
    def fahrenheit(self):
        return self._degrees * 9 / 5 + 32

    @fahrenheit.setter
    def fahrenheit(self, value):
        self._degrees = (value - 32) * 5 / 9


class Slotted:
    """Something without a `__dict__`."""

    __slots__ = ("x", "y")


@samples((5,), (-5,))
def changed_in_branch(x):
    account = Account(10)
    if x > 0:
        account.balance += x
    else:
        account.balance = 0
    return account.balance


@samples((4,), (0,))
def changed_in_while(n):
    account = Account(1)
    while n > 0:
        account.balance = account.balance * 2
        n -= 1
    return account.balance


@samples((np.array([5, -3, 2]),), (np.array([-5, -3, 2]),))
def changed_in_for(xs):
    account = Account(0)
    for x in xs:
        if account.balance + x >= 0:
            account.balance += x
    return account.balance


@samples((5,), (-5,))
def changed_by_method(x):
    account = Account(10)
    if x > 0:
        account.deposit(x)
    return account.balance


@samples((5,), (50,))
def changed_by_method_with_branch(x):
    account = Account(10)
    if account.withdraw(x):
        account.deposit(1)
    return account.balance


@samples((np.array([5, 30, 2]),), (np.array([1, 2, 3]),))
def changed_by_method_in_loop(amounts):
    account = Account(20)
    refused = 0
    for amount in amounts:
        if not account.withdraw(amount):
            refused += 1
    return account.balance, refused


@samples((5,), (-5,))
def two_levels(x):
    bank = Bank()
    if x > 0:
        bank.main.balance = x
        bank.fees += 1
    else:
        bank.fees += 10
    return bank.main.balance, bank.fees


@samples((3,), (0,))
def two_levels_in_loop(n):
    bank = Bank()
    for i in range(n):
        bank.main.balance += i + 1
        if bank.main.balance > 2:
            bank.main.bank.fees += 1
    return bank.main.balance, bank.fees


@samples((5,), (-5,))
def two_names_one_object(x):
    account = Account(10)
    same = account
    if x > 0:
        account.balance = x
        same.balance += 1
    return account.balance, same.balance


@samples((5,), (-5,))
def chosen_object(x):
    ours, theirs = Account(1), Account(2)
    for account in (ours, theirs):
        if x > 0:
            account.balance += x
        x = -x
    return ours.balance, theirs.balance


@samples((5,), (-5,), staged=())
def added_in_one_branch(x):
    """Plain only: a staged object cannot have an attribute at run time alone."""
    account = Account(0)
    if x > 0:
        account.owner = x
    return account.owner


@samples((5,), (-5,))
def added_in_both_branches(x):
    account = Account(0)
    if x > 0:
        account.owner = x
    else:
        account.owner = 0
    return account.owner


@samples((50.0,), (5.0,))
def through_property(x):
    weather = Celsius()
    if x > 10:
        weather.fahrenheit = x
    else:
        weather._degrees = x
    return weather.fahrenheit, weather._degrees


@samples((3,), (-3,))
def in_slots(x):
    point = Slotted()
    point.x = x
    if x > 0:
        point.x += 1
        point.y = 0
    else:
        point.y = x
    return point.x, point.y


@samples((Account(5), 3), (Account(5), -3), staged=())
def of_argument(account, x):
    """Plain only: a staged value kept by an object of the caller has leaked."""
    if x > 0:
        account.deposit(x)
    else:
        account.balance = None
    return account


@samples((5,), (-5,))
def swapped_objects(x):
    first, second = Account(x), Account(100)
    if first.balance < 0:
        first.balance, second.balance = second.balance, first.balance
    return first.balance, second.balance


@samples((8,), (3,), (0,))
def in_condition_of_while(n):
    account = Account(n)
    steps = 0
    while account.balance > 1:
        account.balance = account.balance // 2
        steps += 1
    return steps


@samples((np.array([1.0, 2.0]),), (np.array([-1.0, -2.0]),))
def array_attribute(xs):
    account = Account(np.zeros(2))
    if xs.sum() > 0:
        account.balance = account.balance + xs
    else:
        account.balance = xs * 10
    return account.balance


@samples((2,), (-2,))
def set_by_setattr(x):
    account = Account(1)
    if x > 0:
        setattr(account, "balance", x)
    return getattr(account, "balance") + getattr(account, "none", 5)
