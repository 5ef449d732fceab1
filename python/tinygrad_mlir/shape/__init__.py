"""Shapes, views and index arithmetic."""
