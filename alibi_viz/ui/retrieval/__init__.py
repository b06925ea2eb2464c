"""The page about finding things again."""
