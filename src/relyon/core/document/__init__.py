"""One document model, rendered in several forms: terminal, Markdown, HTML, JSON."""
