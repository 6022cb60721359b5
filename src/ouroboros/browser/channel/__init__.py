"""How messages travel to a browser and back: a pipe for our own, a websocket for the person's."""
