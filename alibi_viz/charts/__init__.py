"""Charts as values: a frozen dataclass each, from which figure, table and words all follow."""
