"""The HTTP API: routing, the table of endpoints, the event stream and downloads."""
