"""The course: lessons on measuring relevance, with every number computed by relyon."""

from relyon.learn.course import course, read_course

__all__ = ["course", "read_course"]
