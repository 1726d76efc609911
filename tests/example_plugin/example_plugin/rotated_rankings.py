"""A preference model: everybody wants the arms in the same order, each agent starting one further on."""

import numpy as np

from isegoria.preferences import PreferenceModel


def draws(agents, arms, parameter):
    return 0


def rankings(uniforms, agents, arms, parameter):
    turned = (np.arange(agents)[:, None] + np.arange(arms)) % arms
    return np.broadcast_to(turned, (len(uniforms), agents, arms))


TURNS = PreferenceModel("turns", "the same order for all, each agent one further on", "folklore", draws, rankings)
