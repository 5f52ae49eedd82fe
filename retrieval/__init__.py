"""The federated retriever for German bodies of rules."""
