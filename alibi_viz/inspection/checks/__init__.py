"""What the probe checks, one file a question; each yields findings in words with their numbers."""
