"""Slips that a checker must see; every line that ends in `# wrong` is one."""

import isegoria as iso

instance = iso.Instance([[1, 0], [0, 1]])
iso.sovle(instance)  # wrong
iso.frontier(instance, axes="equality")  # wrong
iso.solve(instance, 42)  # wrong
iso.solve(instance, tie_brake="vertex")  # wrong
iso.audit(instance, 42)  # wrong
iso.study(ruls=["nash"])  # wrong
iso.Instance.from_frame(None, skale=(1, 5))  # wrong
iso.EliminationLearner(2, 2, explor=0.1)  # wrong
voice = iso.score(instance, [0.5, 0.5]).procedual  # wrong
iso.compare(instance, policy={"mine": [1, 0]})  # wrong
iso.ProceduralLearner(2, 2, gama=0.7)  # wrong
iso.Instance([[1, 0]], agent=["Ann"])  # wrong
said = iso.audit(instance, [1, 0]).sentence  # wrong
label = iso.RULES["nash"].lable  # wrong
iso.solve(instance).policy.rond(3)  # wrong
