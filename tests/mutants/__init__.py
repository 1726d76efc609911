"""Planted faults: the list, the pytest plugin that plants one, and the run over all of them."""
