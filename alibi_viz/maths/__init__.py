"""The mathematics of ALiBi in numpy, operators and einops: numpy arrays and torch tensors alike."""
