"""The public names and where each lives; they are imported when first used."""

from .clicks import (
    build_labels_page as build_labels_page,
    render_labels_report as render_labels_report,
    write_labels_report as write_labels_report,
)
from .contents import (
    build_page as build_page,
    render_report as render_report,
    write_report as write_report,
)
from .depth import (
    build_depth_page as build_depth_page,
    depth_picture as depth_picture,
    render_depth_report as render_depth_report,
)
from .document import (
    Format as Format,
    format_of as format_of,
)
from .leaderboard import (
    build_leaderboard_page as build_leaderboard_page,
    render_leaderboard_report as render_leaderboard_report,
    write_leaderboard_report as write_leaderboard_report,
)
from .page import Page as Page
from .plots import plot as plot
from .position_bias import (
    bias_picture as bias_picture,
    render_bias_report as render_bias_report,
)
from .rounds import (
    build_monitor_page as build_monitor_page,
    render_monitor_report as render_monitor_report,
    write_monitor_report as write_monitor_report,
)
from .training_page import (
    build_training_page as build_training_page,
    render_training_report as render_training_report,
    write_training_report as write_training_report,
)
