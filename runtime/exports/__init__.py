"""The embedded graph, in the words of other engines: a package for each."""
