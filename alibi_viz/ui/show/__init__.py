"""Figures, tables, files and jobs as pages show them."""
