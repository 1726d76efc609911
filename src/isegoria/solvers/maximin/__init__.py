"""The policy whose lowest cut is highest: matrix games whose rows an oracle supplies."""
