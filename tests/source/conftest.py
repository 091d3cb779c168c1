"""Shared by all tests of sources."""

from front_door.modules import module  # noqa: F401 - a fixture
