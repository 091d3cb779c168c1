"""What is said of a place that cannot be staged is the same when it is checked and when it is run."""

from __future__ import annotations

import pytest

from autograph_rs.converters.places import RULES
from autograph_rs.runtime.refusals import reason_of

DETAILS = {
    "AG001": ("yield", "'yield'"),
    "AG002": ("locals()", "locals()"),
    "AG003": ("try", "the 'try'"),
    "AG004": ("", ""),
    "AG005": ("", ""),
    "AG006": ("y :=", "'y :='"),
    "AG007": ("", ""),
    "AG008": ("__len__", "'__len__'"),
}


@pytest.mark.parametrize("code", DETAILS)
def test_the_reason_is_that_of_the_check(code: str) -> None:
    running, checked = DETAILS[code]
    assert reason_of(code, running) == (RULES[code].reason.format(detail=checked), RULES[code].remedy)
