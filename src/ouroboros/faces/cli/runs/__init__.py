"""What a run is started with, and where its value goes."""
