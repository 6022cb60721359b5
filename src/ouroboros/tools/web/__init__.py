"""Reading the web without a browser: a page is fetched from a judged address and told as text."""
