"""OpenCode as far as its question tool goes: sessions, tools, the question API."""
