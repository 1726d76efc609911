"""Keys of members: the device that holds one, and Ed25519 signatures."""
