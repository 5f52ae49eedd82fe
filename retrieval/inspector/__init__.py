"""The inspector: what would change the list, why a norm stands where it stands, and what differs between runs."""
