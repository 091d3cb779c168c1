"""Characters of staged codes, and plain text that is searched for them."""

from __future__ import annotations

import numpy as np
import pytest

import autograph_rs as ag

DIGITS = "0123456789abcdef"


def word(codes):
    text = ""
    for code in codes:
        text += chr(code)
    return text, chr(codes[0]) == "h", chr(codes[1]).isdigit()


def test_text_of_codes():
    codes = np.array([104, 105])
    assert ag.function(word)(codes) == word(codes) == ("hi", True, False)


def searches(code):
    text = chr(code)
    return DIGITS.find(text), DIGITS.count(text), DIGITS.startswith(text), "a0".endswith(text), text in DIGITS


@pytest.mark.parametrize("text", "0ax")
def test_searches(text):
    code = np.int64(ord(text))
    assert ag.function(searches)(code) == searches(code)


def value_of(codes):
    value = 0
    for code in codes:
        value = 16 * value + DIGITS.index(chr(code))
    return value


def value_or_none(codes):
    try:
        return value_of(codes)
    except ValueError:
        return -1


@pytest.mark.parametrize("text", ["ff", "10", "1x"])
def test_index_of_a_character(text):
    codes = np.array([*map(ord, text)])
    assert ag.function(value_or_none)(codes) == value_or_none(codes)


def test_index_of_what_is_not_there():
    with pytest.raises(ValueError, match=r"^substring not found"):
        ag.function(value_of)(np.array([120]))


def character(code):
    return chr(code)


@pytest.mark.parametrize("code", [-1, 0x110000])
def test_codes_of_no_character(code):
    for call in (chr, ag.function(character)):
        with pytest.raises(ValueError, match=r"^chr\(\) arg not in range\(0x110000\)"):
            call(np.int64(code))


def test_code_of_another_type():
    with pytest.raises(TypeError, match="cannot be interpreted as an integer"):
        ag.function(character)(np.float64(65.0))
