"""permove measures agents that may plan only a little before every move."""
