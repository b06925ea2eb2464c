"""How each library, and each family of models, computes attention."""
