"""Families whose code is known: this project's own models, BLOOM, MPT and Falcon."""
