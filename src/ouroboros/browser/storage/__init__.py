"""What sites keep in a browser: cookies, storage, and the encrypted vault that logins are carried in."""
