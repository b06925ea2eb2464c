"""The page about attention decay and windows."""
