"""A class that answers together: rooms on disk, shared by all processes of a server.

`asked` says what may be asked, `room` is the presenter's side, `seat` a student's, `store` the file
both are kept in, `results` what came of it.
"""
