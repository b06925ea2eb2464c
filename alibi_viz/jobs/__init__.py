"""Long work in a subprocess: asked for once, shared by all who ask, on disk, resumable.

`requests` says what may be asked for, `store` keeps jobs on disk, `registry` queues them, `worker`
runs one, `progress` reads how far it is.
"""
