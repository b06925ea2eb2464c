"""What a child process may take and do: memory, time, files; no network, and no other program.

The system holds a child to it: limits of its own for resources, and on Linux a filter of system
calls, which needs no rights and cannot be taken off again. Elsewhere than on Linux there is no such
filter, and nothing in a child asks for a network anyway.
"""

import ctypes
import errno
import os
import platform
import struct
import sys
from contextlib import suppress
from pathlib import Path

if sys.platform != "win32":
    import resource

DESCRIPTORS = 256
# Share of the free memory that a model and its first run may take.
USABLE = 0.8

# Of linux/prctl.h, linux/seccomp.h and linux/bpf_common.h.
_PR_SET_SECCOMP, _PR_SET_NO_NEW_PRIVS, _FILTER = 22, 38, 2
_LOAD, _IF_EQUAL, _IF_AT_LEAST, _RETURN = 0x20, 0x15, 0x35, 0x06
_REFUSE, _ALLOW = 0x00050000 | errno.EACCES, 0x7FFF0000
_NUMBER_OFFSET, _MACHINE_OFFSET = 0, 4
_OTHER_ABI = 0x40000000
"""x86-64 has a second set of system calls from here on."""
# The machine's name in the filter, and its numbers of: socket, connect, bind, execve, execveat,
# ptrace, io_uring_setup (which could open sockets too), process_vm_readv, process_vm_writev.
_SYSTEM_CALLS = {
    "x86_64": (0xC000003E, (41, 42, 49, 59, 322, 101, 425, 310, 311)),
    "aarch64": (0xC00000B7, (198, 203, 200, 221, 281, 117, 425, 270, 271)),
}


def limit_resources(memory: int) -> None:
    """Sets, in a process just started, what it may take at most.

    Args:
        memory: Bytes of its data, and of its addresses besides what libraries map.
    """
    _lower("RLIMIT_DATA", memory)
    _lower("RLIMIT_AS", memory + 4 * 2**30)
    _lower("RLIMIT_NOFILE", DESCRIPTORS)
    _lower("RLIMIT_CORE", 0)
    # Libraries try whether a folder for temporary files can be written to; pipes are no files.
    _lower("RLIMIT_FSIZE", 4096)
    os.nice(5)
    # Should the machine run out of memory all the same, this process goes first.
    with suppress(OSError), open("/proc/self/oom_score_adj", "w") as file:
        file.write("800")


def allow(memory: int, seconds: float) -> None:
    """Sets what this process may take for its next task; what it has taken does not count.

    Args:
        memory: Bytes of data in all, as far as the limit of its start allows.
        seconds: Of processor time.
    """
    if sys.platform == "win32":
        return
    hard = resource.getrlimit(resource.RLIMIT_DATA)[1]
    most = memory if hard == resource.RLIM_INFINITY else min(memory, hard)
    resource.setrlimit(resource.RLIMIT_DATA, (most, hard))
    used = resource.getrusage(resource.RUSAGE_SELF)
    end = int(used.ru_utime + used.ru_stime + seconds) + 1
    hard = resource.getrlimit(resource.RLIMIT_CPU)[1]
    resource.setrlimit(
        resource.RLIMIT_CPU, (end if hard == resource.RLIM_INFINITY else min(end, hard), hard)
    )


def shut_in() -> bool:
    """Takes network, other programs and other processes' memory from this process for good.

    Returns:
        Whether the system does that.
    """
    known = _SYSTEM_CALLS.get(platform.machine())
    if sys.platform != "linux" or known is None:
        return False
    program = _filter(*known)
    code = ctypes.create_string_buffer(program, len(program))
    header = struct.pack("HP", len(program) // 8, ctypes.addressof(code))
    control = ctypes.CDLL(None, use_errno=True).prctl
    control.argtypes = [ctypes.c_int, *[ctypes.c_void_p] * 4]
    if control(_PR_SET_NO_NEW_PRIVS, 1, None, None, None):
        return False
    given = ctypes.create_string_buffer(header, len(header))
    return not control(_PR_SET_SECCOMP, _FILTER, ctypes.addressof(given), None, None)


def _filter(machine: int, numbers: tuple[int, ...]) -> bytes:
    """Returns a program of the kernel's packet filter that refuses some system calls."""
    n = len(numbers)
    steps = [
        (_LOAD, 0, 0, _MACHINE_OFFSET),
        (_IF_EQUAL, 0, n + 3, machine),
        (_LOAD, 0, 0, _NUMBER_OFFSET),
        (_IF_AT_LEAST, n + 1, 0, _OTHER_ABI),
        # The more steps are left before the last one, the further is the refusal.
        *((_IF_EQUAL, n - i, 0, number) for i, number in enumerate(numbers)),
        (_RETURN, 0, 0, _ALLOW),
        (_RETURN, 0, 0, _REFUSE),
    ]
    return b"".join(struct.pack("HBBI", *step) for step in steps)


def _lower(name: str, most: int) -> None:
    """Sets a limit for good, unless a lower one is in force."""
    which = getattr(resource, name)
    hard = resource.getrlimit(which)[1]
    value = most if hard == resource.RLIM_INFINITY else min(most, hard)
    resource.setrlimit(which, (value, value))


def available_memory() -> int | None:
    """Returns the bytes that can still be used, None where the system does not say."""
    try:
        lines = Path("/proc/meminfo").read_text(encoding="ascii").splitlines()
        fields = dict(line.split(":", 1) for line in lines)
        return int(fields["MemAvailable"].split()[0]) * 1024
    except (OSError, KeyError, ValueError):
        pass
    try:
        return os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES")
    except (ValueError, OSError, AttributeError):
        return None
