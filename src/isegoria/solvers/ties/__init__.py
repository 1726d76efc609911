"""Choice among several optima: the centre of their set, a vertex, or the one of maximum utility."""
