"""What the official SDK and bare clients see of the server."""
