"""Files that come out of a browser and go into it: artifacts, downloads, uploads."""
