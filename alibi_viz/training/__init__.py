"""Training: one recipe for every position method, resumable step for step."""
