"""Figures of ALiBi's heads: slopes, biases, decay, windows."""
