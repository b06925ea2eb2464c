"""The page of lessons, and what a teacher makes of them."""
