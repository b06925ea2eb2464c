"""What the papers report and how to cite them: figures and references, with their sources."""
