"""User-defined studies: rules or learners compared on groups and environments over seeds, with resumable raw rows.

- `contenders`, `groups`, `environments`: what can be named in a study, each by a short distinct name.
- `design`: the complete design, with cells in a fixed order and an identity; `file` reads it from TOML.
- `measures`: the numbers of one run. `store` keeps finished runs, `running` computes the missing ones.
- `study`: the public function, and `Study` with its tables (`summary`) and figures.
"""
