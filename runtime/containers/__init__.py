"""Python's containers and text where staged values meet them.

A dict or set of plain keys is searched for a staged key by the backend's `find`, which returns the position of the
key, so an item is read like that of a list. Methods that Python would run on the values themselves, such as
`list.sort` and `str.format`, have replacements that build staged values. What has no replacement stays Python's.
"""

REPLACED = frozenset(
    (
        "format", "format_map", "join", "get", "index", "count", "remove", "pop", "insert", "sort",
        "heapify", "heappush", "heappop", "heappushpop", "heapreplace", "nsmallest", "nlargest",
        "insort_left", "insort_right", "deque", "bisect_left", "bisect_right",
    )
)  # fmt: skip
"""The names of the methods and functions that have replacements in `calls`."""
