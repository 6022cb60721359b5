"""The person's repository as sessions use it: where it is, git in it, its work trees."""
