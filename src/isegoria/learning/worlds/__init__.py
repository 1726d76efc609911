"""Where rewards come from: environments, the noise around their means, and rewards that were logged."""
