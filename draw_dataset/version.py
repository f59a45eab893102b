"""The version of the package; ``CONTRIBUTING.md`` lists every other number that is raised by hand."""

__version__ = "0.1.0"
