"""File formats, one file each; `relkit.io.format` lists them."""
