"""How many queries, clusters and repeated runs to use next."""
