"""The HTTP layer between the network and a group: connections, requests and their origin, tokens, body fields."""
