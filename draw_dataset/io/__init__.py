"""Reading and writing files: atomic files and folders, JSON lines, SQLite files, HTML, tables and plots."""
