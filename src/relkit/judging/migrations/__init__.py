"""How a judging database came to have its tables, step by step."""
