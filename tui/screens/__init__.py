"""What is where: the start screen, the workbench with its seven views, and the menus."""
