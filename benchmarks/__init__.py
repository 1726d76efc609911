"""Speed, side by side in one run with what one would use instead: `python -m benchmarks`, or `make bench`."""
