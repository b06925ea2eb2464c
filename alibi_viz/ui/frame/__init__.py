"""What every page stands in: navigation, header, style, type for a projector."""
