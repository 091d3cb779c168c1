"""Python's containers and text where staged values meet them.

A dict or set of plain keys is searched for a staged key: the position of the key selects the item, as an
index does in a list. Methods that Python would run on the values themselves, such as `list.sort` and
`str.format`, have replacements that build staged values. What has no replacement stays Python's.
"""

REPLACED = frozenset(
    (
        "format", "format_map", "join", "find", "startswith", "endswith", "get", "index", "count",
        "remove", "pop", "insert", "sort",
        "heapify", "heappush", "heappop", "heappushpop", "heapreplace", "nsmallest", "nlargest",
        "insort_left", "insort_right", "bisect_left", "bisect_right", "deque", "set", "dict", "Counter",
        "add", "discard", "update", "intersection_update", "difference_update", "symmetric_difference_update",
        "union", "intersection", "difference", "symmetric_difference", "issubset", "issuperset", "isdisjoint",
        "setdefault", "extend", "most_common", "subtract", "groupby",
        "accumulate", "chain", "combinations", "combinations_with_replacement", "compress", "cycle",
        "dropwhile", "filterfalse", "from_iterable", "islice", "iter", "pairwise", "permutations", "product",
        "reduce", "repeat", "starmap", "takewhile",
    )
)  # fmt: skip
"""The names of the methods and functions that have replacements in `calls`."""
