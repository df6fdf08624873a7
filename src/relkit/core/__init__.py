"""What everything stands on: errors, notes, names, parameters, packages, languages, text."""
