"""Systems with repeated runs: their means, their noise, and its sentences."""
