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
iso.solve(instance, "nahs")  # wrong
iso.solve(instance, within="procedural")  # wrong
iso.audit(instance, "nahs")  # wrong
iso.score(instance, "nahs")  # wrong
iso.core(instance, [1, 0], payoff="share")  # wrong
iso.core(instance, [1, 0], kind="shares")  # wrong
iso.compare(instance, rules=["nahs"])  # wrong
iso.honesty(instance, "nahs")  # wrong
iso.honesty(instance, max_group=2)  # wrong
iso.find_counterexample("nahs", "gfs")  # wrong
iso.axioms.check(instance, "nahs", "gfs")  # wrong
iso.axioms.check_all(instance, "nash", strickt=True)  # wrong
iso.frontier(instance, "equalty")  # wrong
iso.study(["nahs"], instance)  # wrong
iso.study(learners=["uniform"], world="beta")  # wrong
iso.EliminationLearner(2, 2, rule="nahs")  # wrong
iso.simulate_many(iso.UniformLearner(2, 2), iso.BetaRewards(instance), 10, record=3)  # wrong
iso.read("votes.csv", missing="lowst")  # wrong
iso.read("votes.csv", skale=(1, 5))  # wrong
iso.scan("votes.parquet", missng="lowest")  # wrong
iso.draw(iso.voices(instance), "1", block=2)  # wrong
iso.save(instance, pth="file")  # wrong
iso.ReplayRewards.from_log([0], [[1]], propensity=[1])  # wrong
iso.core(instance, "nahs")  # wrong
iso.core(instance, "nash", time_limt=1.0)  # wrong
iso.score(instance, "nash", weigths=[1])  # wrong
iso.audit(instance, "nash", time_limt=1.0)  # wrong
iso.pareto_dominates(instance, "nahs", "nash")  # wrong
iso.pareto_dominates(instance, "nash", "nash", payof="shares")  # wrong
iso.score_dominates(instance, "nahs", "nash")  # wrong
iso.score_dominates(instance, "nash", "nash", payof="shares")  # wrong
iso.find_counterexample("nash", "gfs", agent=3)  # wrong
iso.voices(instance, polcy=[1, 0])  # wrong
iso.simulate(iso.UniformLearner(2, 2), iso.BetaRewards(instance), 10, extra_rules=["nahs"])  # wrong
iso.simulate(iso.UniformLearner(2, 2), iso.BetaRewards(instance), 10, watch=print)  # wrong
iso.regret_bounds(instance, 100, gama=0.7)  # wrong
iso.write(instance, "votes.csv", fromat="csv")  # wrong
iso.load("file", knd="audit")  # wrong
iso.verify("a.record", against="b.record")  # wrong
iso.Turns(mode="settled")  # wrong
iso.Instance.sample("mallows:0.3", 3, 3, sed=1)  # wrong
iso.preferences.sample("mallows:0.3", 3, 3, sed=1)  # wrong
iso.preferences.sample_rewards([[0, 1]], favorites=1)  # wrong
iso.axioms.check(instance, "nash", "gfs", strickt=True)  # wrong
iso.axioms.check_all(instance, "nahs")  # wrong
iso.solve(instance, "nash", wihtin="fair")  # wrong
iso.compare(instance, rule=["nash"])  # wrong
iso.axioms.check_over_time([["a"]], decision=[0])  # wrong
