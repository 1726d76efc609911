"""A group's life: the state that its events add up to, and what each actor may do to it."""
