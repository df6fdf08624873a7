from .byte_source import (
    Source as Source,
)
from .declared_encoding import (
    text_encoding as text_encoding,
)
from .format import (
    Format as Format,
)
from .matched_rows import (
    matched_rows as matched_rows,
)
from .mismatch import (
    explain_mismatch as explain_mismatch,
)
from .picture import (
    Picture as Picture,
)
from .readers import (
    opened as opened,
    read_features as read_features,
    read_judgments as read_judgments,
    read_rows as read_rows,
    read_run as read_run,
    read_scored as read_scored,
    scored_table as scored_table,
)
from .recognition import (
    open_source as open_source,
)
from .sheet_reader import (
    read_sheet as read_sheet,
)
from .writers import (
    contains_features as contains_features,
    unwritten_notes as unwritten_notes,
    write_features as write_features,
    write_judgments as write_judgments,
    write_run as write_run,
)
