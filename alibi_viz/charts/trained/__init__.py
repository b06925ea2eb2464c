"""Charts of a trained model's attention over a text. Importing them imports torch."""
