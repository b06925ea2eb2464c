"""Models that somebody else made: opened, run and examined in a child process, never here."""
