"""What stands between the network and a group: connections, requests and where they come from, tokens, fields."""
