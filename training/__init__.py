"""How the expert's weights were made. Nothing here is needed to play: the service never imports it."""
