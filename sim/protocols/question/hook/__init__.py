"""The plugin within OpenCode that tells the phone of a question (``hermes-hook.js``)."""
