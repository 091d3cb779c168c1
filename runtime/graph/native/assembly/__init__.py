"""LLVM assembly for numbers and memory: text, kinds of numbers, arithmetic with bailouts, blocks and views."""
