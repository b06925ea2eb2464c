"""The front door: what this is, one picture that moves, and three ways in."""
