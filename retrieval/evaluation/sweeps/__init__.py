"""Sweeps: one, two or several settings over a set of questions, as arithmetic over what was gathered once."""
