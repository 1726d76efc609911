"""Actions on a group by HTTP: creation, rounds, members, devices, contacts."""
