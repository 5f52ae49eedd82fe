"""The pure stages of a run; none of them knows another."""
