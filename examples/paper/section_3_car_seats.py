"""Section 3, the car seats: equal outcomes can go with a child who never gets the front seat.

Two children rank the seats front, back-right, back-left. One always sits back-right; the other alternates between front
and back-left. An arm is a seating of both, so that each child's favourites are the seatings that put it in front.
"""

import isegoria as iso

WORTH = {"front": 1.0, "back-right": 0.5, "back-left": 0.0}


def main():
    seatings = [(a, b) for a in WORTH for b in WORTH if a != b]
    means = [[WORTH[seating[child]] for seating in seatings] for child in (0, 1)]
    arms = [f"{a} / {b}" for a, b in seatings]
    car = iso.Instance(means, agents=["first child", "second child"], arms=arms)

    alternating = [0.5 * (seat in {("back-right", "front"), ("back-right", "back-left")}) for seat in seatings]
    scores = iso.score(car, alternating)
    assert car.utilities(alternating).tolist() == [0.5, 0.5]
    assert scores.equality == 1
    assert car.decision_shares(alternating).tolist() == [0.0, 0.5]
    assert scores.procedural == 0.5
    assert iso.core(car, alternating).agents == ("first child",)

    fair = iso.solve(car, "procedural").policy
    assert car.decision_shares(fair).tolist() == [0.5, 0.5]
    print("Car seats: both children have utility 0.5, yet the first has no voice; equal voice lets both sit in front.")


if __name__ == "__main__":
    main()
