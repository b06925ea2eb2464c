"""Figures of what position methods do."""
