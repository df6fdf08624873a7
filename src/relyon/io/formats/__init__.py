"""File formats, one file each; `relyon.io.format` lists them."""
