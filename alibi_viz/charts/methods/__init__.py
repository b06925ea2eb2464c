"""Charts of where position enters: step by step, methods side by side, variants, number types."""
