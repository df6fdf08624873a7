"""Language models in the app: their grades, how well they agree with people, and new ones."""
