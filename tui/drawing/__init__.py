"""From views to lines: pure functions, tested as text. Nothing here knows Textual."""
