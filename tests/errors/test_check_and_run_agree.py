"""`check` and a run report a place that cannot be staged in the same words."""

from __future__ import annotations

import pytest

from autograph_rs.converters.diagnostics.unsupported import RULES
from autograph_rs.runtime.errors.unsupported import rule_message

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
    assert rule_message(code, running) == (
        f"{RULES[code].reason.format(detail=checked)} ({code})",
        RULES[code].remedy,
    )
