"""What stands between the network and a group: bodies, tokens, origins, limits and headers."""
