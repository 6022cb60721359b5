"""What joins the browser: one for a session, its set-up, its look at the machine, logins and the vault."""
