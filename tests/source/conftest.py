"""Shared by all tests of sources."""

from transpiler.modules import module  # noqa: F401 - a fixture
