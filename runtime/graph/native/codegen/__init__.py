"""Machine code for regions, as LLVM assembly.

`region.compile_region` is the entry. Each module adds a layer to its emitter, from the lowest: `writer`, `scalars`,
`memory`, `elementwise`, `operations`, `lists`, `indexing`, `axis_reductions`, `control_flow`, `boundary`, `region`.
"""
