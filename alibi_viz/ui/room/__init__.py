"""The page of a class that answers together, as its presenter sees it."""
