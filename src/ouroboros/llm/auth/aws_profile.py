"""The region that a profile of AWS's own configuration file names; nothing of AWS is loaded for it."""

from collections.abc import Mapping
from pathlib import Path


def region_of_profile(environment: Mapping[str, str]) -> str:
    """The region of the chosen profile, or an empty text where there is none to be read."""
    from configparser import ConfigParser, Error  # only where no variable names the region

    home = Path(environment.get("HOME", "/"))
    named = environment.get("AWS_CONFIG_FILE", "")
    path = home / named.removeprefix("~/") if named else home / ".aws" / "config"
    profile = environment.get("AWS_PROFILE") or environment.get("AWS_DEFAULT_PROFILE") or "default"
    parser = ConfigParser(interpolation=None, strict=False)
    try:
        parser.read_string(path.read_text("utf-8"))
    except (OSError, UnicodeDecodeError, Error):
        return ""
    sections = (
        (f"profile {profile}", profile) if profile != "default" else ("default", "profile default")
    )
    for section in sections:
        if region := parser.get(section, "region", fallback="").strip():
            return region
    return ""
