"""The explorer: a local web app that analyses one table of ratings, for the user who started it."""
