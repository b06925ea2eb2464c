"""The page of claims and sources."""
