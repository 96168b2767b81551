"""Links of items to earlier ones: decisions, losses, gradient steps and streams."""
