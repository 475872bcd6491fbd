"""What a machine can give: memory asked for beforehand, and long calls that can be interrupted."""

import os
import threading

GIBIBYTE = 2**30


def available_memory() -> int | None:
    """Bytes that can be allocated without swapping, or None where the system does not say."""
    try:
        with open("/proc/meminfo") as file:
            for line in file:
                if line.startswith("MemAvailable:"):
                    return 1024 * int(line.split()[1])
    except OSError:
        pass
    try:
        return os.sysconf("SC_PHYS_PAGES") * os.sysconf("SC_PAGE_SIZE")
    except (AttributeError, ValueError, OSError):
        return None


def require_memory(n_bytes, purpose, instead):
    """Raise MemoryError, which says what was needed and what to do instead, before anything is allocated."""
    available = available_memory()
    if available is not None and n_bytes > available:
        raise MemoryError(
            f"{purpose} needs {n_bytes / GIBIBYTE:.1f} GiB, but {available / GIBIBYTE:.1f} GiB are available. {instead}"
        )


def interruptible(call, *arguments, **options):
    """``call(...)``, in a thread of its own while this one waits: Ctrl-C is answered at once.

    For single calls into compiled code that take seconds and release the interpreter's lock. A call that was
    interrupted runs to its end in the background; its result is dropped.
    """
    if threading.current_thread() is not threading.main_thread():
        return call(*arguments, **options)  # only the main thread receives Ctrl-C
    outcome = {}

    def work():
        try:
            outcome["result"] = call(*arguments, **options)
        except BaseException as error:  # raised again where the caller can see it
            outcome["error"] = error

    thread = threading.Thread(target=work, daemon=True)
    thread.start()
    while thread.is_alive():
        thread.join(0.1)
    if "error" in outcome:
        raise outcome["error"]
    return outcome["result"]
