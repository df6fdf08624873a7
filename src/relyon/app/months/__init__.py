"""From a log to a month: its sample, its project, its gate, and the monitor that compares months."""
