"""The commands of ``fundstelle``: one module each, with its parser and its action."""
