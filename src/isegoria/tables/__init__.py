"""Tables larger than memory: a pass over their parts answers every open question, on any executor.

| module | what it does |
|---|---|
| `sources` | files, folders, addresses, streams, an instance: units of rows, and their columns |
| `addresses` | the parts of a table in an object store, such as s3://bucket/votes |
| `passes` | compiled: what one unit answers, a pure function of its columns |
| `questions` | the questions that objectives ask, and how the units' answers are added up |
| `nash`, `inequality`, `worst_off` | objectives as generators: they yield questions and return a certified answer |
| `first_pass` | what one pass tells about every table, whatever is asked of it next |
| `pass_loop` | a pass reads each unit once and answers all open questions, in the order of the units |
| `executors` | where the units are read: this thread, a pool of processes, a cluster |
| `scan` | `iso.scan`: a large table that goes where an `Instance` goes |
"""
