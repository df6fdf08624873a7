"""One model of what a text says, and the forms that it takes: terminal, Markdown, HTML, JSON."""
