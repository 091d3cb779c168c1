"""Conditionals: both branches are captured and merged, or what follows them is captured for each outcome."""
