"""From a log to a month: its sample, its project, its gate, and the monitor of all months."""
