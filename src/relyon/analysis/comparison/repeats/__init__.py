"""Systems with repeated runs: their means, their noise, and how it is said."""
