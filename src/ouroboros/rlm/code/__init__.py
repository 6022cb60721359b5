"""From a model's reply to the blocks of code in it; pure, and never raises."""
