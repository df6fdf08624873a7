"""Plans: the queries that tests, margins and repeated runs need."""
