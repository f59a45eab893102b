"""Web page for annotators: HTML, browser messages, access control and server."""
