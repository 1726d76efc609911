"""Which optimum, where there are several: the centre of their set, a vertex, or the one of largest utility."""
