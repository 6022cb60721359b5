"""Settings from files and the environment: layers joined, checked, shown and changed; trust of projects."""
