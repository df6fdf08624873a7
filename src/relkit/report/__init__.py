"""One self-contained page that tells a colleague what changed and why."""

from relkit.report.clicks import (
    build_labels_page,
    render_labels_report,
    write_labels_report,
)
from relkit.report.contents import build_page
from relkit.report.document import Format, format_of, render_report, write_report
from relkit.report.page import Page
from relkit.report.position_bias import bias_picture, render_bias_report
from relkit.report.rounds import (
    build_monitor_page,
    render_monitor_report,
    write_monitor_report,
)
from relkit.report.training import (
    build_training_page,
    render_training_report,
    write_training_report,
)

__all__ = [
    "Format",
    "Page",
    "bias_picture",
    "build_labels_page",
    "build_monitor_page",
    "build_page",
    "build_training_page",
    "format_of",
    "render_bias_report",
    "render_labels_report",
    "render_monitor_report",
    "render_report",
    "render_training_report",
    "write_labels_report",
    "write_monitor_report",
    "write_report",
    "write_training_report",
]
