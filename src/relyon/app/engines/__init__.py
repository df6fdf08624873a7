"""Live engines in the app: those that the operator allows, and trying a query against them."""
