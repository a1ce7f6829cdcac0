"""``hooktwin bridge …``: the question bridge at work, and the plugin that feeds it."""
