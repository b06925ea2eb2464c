"""The text that models learn from: Python's standard library, or any text file."""
