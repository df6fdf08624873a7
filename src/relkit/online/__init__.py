"""Live search: logs of sessions, samples of them to judge, and the monthly number."""
