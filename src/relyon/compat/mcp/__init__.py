"""An agent's own tool: a server of the Model Context Protocol over the files of a folder.

`relyon mcp FOLDER` starts it. An agent measures, compares and explains on development queries;
held-out queries are sealed, and a budget of looks answers whether a candidate is better on them.
Importing this imports neither the package mcp nor NumPy.
"""
