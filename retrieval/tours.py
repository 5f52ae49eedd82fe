"""Tours: steps of a walkthrough, read from a text file that an owner of a stock can write."""
