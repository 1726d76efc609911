"""Groups in the store: cached state, transactions, views, timetables and occurrences."""
