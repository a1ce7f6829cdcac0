"""The question bridge: OpenCode's question tool, answered from a chat."""
