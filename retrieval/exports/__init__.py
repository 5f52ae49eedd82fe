"""A run to take along: files that a person or a program can open without the page."""
