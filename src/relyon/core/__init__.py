"""What everything builds on: errors, notes, names, parameters, packages, languages, text."""
