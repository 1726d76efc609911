"""Studies of one's own: what is compared, on which groups and worlds, with which seeds; raw rows that are not lost.

- `contenders`, `groups`, `worlds`: what can be named in a study, each by a short name that tells it from the others.
- `design`: all of it together, with cells in a fixed order and an identity; `file` reads it from TOML.
- `measures`: the numbers of one run. `store` keeps finished runs, `running` computes the missing ones.
- `study`: the public function, and `Study` with its tables (`summary`) and figures.
"""
