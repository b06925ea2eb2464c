"""A process beside the server for work that must not be done in it, kept warm between askings.

What runs there can take the process down and nothing else: it has limits of time and memory, and
whoever asked is told what happened. The server itself never imports torch for it.
"""
