"""The course: lessons on measuring relevance, with every number computed by relkit."""

from relkit.learn.course import course, read_course

__all__ = ["course", "read_course"]
