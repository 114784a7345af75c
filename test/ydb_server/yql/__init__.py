"""The subset of YQL: its text, its types, and what it becomes in SQL."""
