"""The page "Where position enters": its controls, its cached calls and its sentences."""
