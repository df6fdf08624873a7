"""Runs one command and prints its wall-clock and CPU seconds and peak memory as JSON.

A process inherits the peak memory of the one that starts it. This one is started bare
(`python -I -S`) and so stays below 10 MiB, whatever the benchmark around it holds.
Standard output of the command goes to the file named first.
"""

import os
import sys
import time

out = os.open(sys.argv[1], os.O_WRONLY | os.O_CREAT | os.O_TRUNC, 0o600)
command = sys.argv[2:]
actions = [(os.POSIX_SPAWN_DUP2, out, 1)]
start = time.perf_counter()
process = os.posix_spawnp(command[0], command, os.environ, file_actions=actions)
_, status, usage = os.wait4(process, 0)
seconds = time.perf_counter() - start
peak = usage.ru_maxrss * (1 if sys.platform == "darwin" else 1024)
cpu = usage.ru_utime + usage.ru_stime
found = {"seconds": seconds, "peak": peak, "cpu": cpu, "code": os.waitstatus_to_exitcode(status)}
print("{" + ", ".join(f'"{name}": {value!r}' for name, value in found.items()) + "}")
