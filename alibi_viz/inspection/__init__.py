"""Looking into trained models: captures, measures, and slopes read back from what really acts."""
