"""Reading of untrusted files in a child process with limited resources."""
