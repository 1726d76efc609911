"""Maximise the minimum over cuts: matrix games whose rows an oracle supplies."""
