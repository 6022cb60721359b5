"""The providers a person can use: keys, logins, models, and the connections an open session asks over."""
