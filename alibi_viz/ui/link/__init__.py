"""What a link says: controls bound to the URL, numbers chosen in figures, notes about bad links."""
