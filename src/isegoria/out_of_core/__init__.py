"""Tables larger than memory: each pass over the chunks advances all pending computations, on any executor.

| module | what it does |
|---|---|
| `sources` | files, folders, addresses, streams or an instance, as chunks (units) of rows with their columns |
| `addresses` | the parts of a table in an object store, such as s3://bucket/votes |
| `passes` | compiled map functions: what one chunk computes, a pure function of its columns |
| `questions` | the map functions that the objectives need, and how the chunks' results are reduced |
| `nash`, `inequality`, `worst_off` | objectives as generators: they yield questions and return a certified answer |
| `first_pass` | the first pass, whose results every computation needs |
| `pass_loop` | runs passes: reads each chunk once and answers all open questions, in chunk order |
| `executors` | where the chunks are read: this thread, a pool of processes, a cluster |
| `scan` | `iso.scan`: a large table that can be used in place of an `Instance` |
"""
