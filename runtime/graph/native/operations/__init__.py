"""Operations of graphs in machine code, as layers of one emitter: from `elementwise` to `axis_reductions`."""
