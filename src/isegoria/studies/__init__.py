"""The paper's experiments and additional studies: each writes tables to a folder, and a section describes them.

`registry` lists the studies and `reproduce` runs them. `sections` and `report` read only that folder, so a page can be
regenerated from its files.
"""
