"""Figures of trained models and of their training."""
