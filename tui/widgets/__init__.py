"""Widgets that draw lines; none of them thinks."""
