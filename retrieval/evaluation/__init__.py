"""Evaluation: questions whose norms are known, what a run makes of them, and how sure one can be of it."""
