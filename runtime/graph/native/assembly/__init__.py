"""LLVM assembly for numbers and memory: kinds of numbers, arithmetic with bailouts, blocks and views."""
