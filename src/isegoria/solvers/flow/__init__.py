"""Voices that flow into a policy: how much of it can be attributed, and to whom."""
