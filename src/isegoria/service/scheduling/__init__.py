"""The scheduler: freezes and draws when they are due, and deletion of unused groups."""
