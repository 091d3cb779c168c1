"""From assembly to functions that Python calls: LLVM, the cache on disk, and the passing of values."""
