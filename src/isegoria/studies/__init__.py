"""The paper's experiments and our own: each study computes tables into a folder, and a section tells what they say.

`registry` lists the studies and `reproduce` runs them. `sections` and `report` read the folder and nothing else, so
that a page can be made again from its files alone.
"""
