"""A shared compute queue: in each slot the machines run one kind of job, and users come and go.

    python examples/compute_queue.py [FILE.csv] [--slots 6000]

FILE has a row for each user: when they arrive and leave, and for each kind of job how likely a slot of it brings their
own work forward. The scheduler does not know these numbers. After each slot every user tells whether it helped.
"""

import argparse
import csv
from pathlib import Path

import numpy as np

import isegoria as iso

QUEUE_FILE = Path(__file__).with_name("compute-queue.csv")
SCHEDULERS = {
    "equal voice": lambda users, jobs: iso.EliminationLearner(
        len(users), len(jobs), agents=users, arms=jobs, may_join=True, seed=1
    ),
    "largest total": lambda users, jobs: iso.UtilitarianUCBLearner(
        len(users), len(jobs), agents=users, arms=jobs, seed=1
    ),
    "every job in turn": lambda users, jobs: iso.UniformLearner(len(users), len(jobs), agents=users, arms=jobs, seed=1),
}


def read_queue(path):
    """Return the users as {name: (arrives, leaves, chances of each job)}, and the names of the jobs."""
    with Path(path).open(encoding="utf-8", newline="") as file:
        header, *rows = csv.reader(file)
    users = {row[0]: (int(row[1]), int(row[2]), np.array(row[3:], dtype=float)) for row in rows}
    return users, header[3:]


def run_slots(users, jobs, slots, make, seed=7):
    """Run a scheduler, and return for each user: slots present, those with its best job, the longest wait, progress."""
    users = {name: row for name, row in users.items() if row[0] <= slots}
    rng = np.random.default_rng(seed)
    learner = make([name for name, (arrives, _, _) in users.items() if arrives <= 1], jobs)
    present, heard, wait, longest, done = ({name: 0 for name in users} for _ in range(5))
    for slot in range(1, slots + 1):
        for name, (arrives, leaves, _) in users.items():
            if slot == arrives > 1:
                learner.join(name)
            if slot == leaves + 1:
                learner.leave(name)
        ticket = learner.ask()
        here = {name: row[2] for name, row in users.items() if row[0] <= slot <= row[1]}
        rewards = {name: float(rng.random() < chances[ticket.arm]) for name, chances in here.items()}
        learner.tell(ticket, rewards)
        for name, chances in here.items():
            best = bool(chances[ticket.arm] == chances.max())
            present[name], heard[name], done[name] = present[name] + 1, heard[name] + best, done[name] + rewards[name]
            wait[name] = 0 if best else wait[name] + 1
            longest[name] = max(longest[name], wait[name])
    return {
        name: (present[name], heard[name] / present[name], longest[name], done[name] / present[name]) for name in users
    }


def main(words=None):
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("file", nargs="?", default=QUEUE_FILE)
    parser.add_argument("--slots", type=int, default=6000)
    given = parser.parse_args(words)
    users, jobs = read_queue(given.file)
    print(f"{'scheduler':<18}{'user':<6}{'slots':>6}{'own job':>9}{'longest wait':>14}{'progress':>10}")
    for scheduler, make in SCHEDULERS.items():
        for name, (slots, share, wait, progress) in run_slots(users, jobs, given.slots, make).items():
            print(f"{scheduler:<18}{name:<6}{slots:>6}{share:>9.3f}{wait:>14}{progress:>10.3f}")


if __name__ == "__main__":
    main()
