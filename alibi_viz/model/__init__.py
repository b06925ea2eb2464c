"""One decoder, several ways to tell it where its tokens stand, and the attention underneath."""
