"""What keeps a loop over a range unrolled: plain state that its body may change, and uses of its counter."""
