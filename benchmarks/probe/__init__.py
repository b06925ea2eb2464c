"""Faults planted in model classes, and healthy models: what the probe finds, and what it says."""
