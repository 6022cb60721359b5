"""Which commands may carry data out over a network, and which publish."""

import re
from collections.abc import Sequence

from ouroboros.safety.commands.reading import Command

_NETWORK = frozenset([
    "curl",
    "wget",
    "http",
    "https",
    "xh",
    "aria2c",
    "axel",
    "lynx",
    "w3m",
    "links",
    "elinks",
    "fetch",
    "scp",
    "sftp",
    "ftp",
    "lftp",
    "tftp",
    "ssh",
    "mosh",
    "autossh",
    "sshfs",
    "rsync",
    "nc",
    "ncat",
    "netcat",
    "socat",
    "telnet",
    "dig",
    "host",
    "nslookup",
    "getent",
    "resolvectl",
    "xdg-open",
    "open",
    "sensible-browser",
    "x-www-browser",
    "firefox",
    "chromium",
    "chromium-browser",
    "google-chrome",
    "drill",
    "ping",
    "ping6",
    "traceroute",
    "tracepath",
    "mtr",
    "whois",
    "nmap",
    "gh",
    "glab",
    "hub",
    "aws",
    "gcloud",
    "az",
    "gsutil",
    "s3cmd",
    "rclone",
    "azcopy",
    "doctl",
    "heroku",
    "fly",
    "flyctl",
    "vercel",
    "netlify",
    "firebase",
    "wrangler",
    "terraform",
    "pulumi",
    "helm",
    "mail",
    "mailx",
    "sendmail",
    "mutt",
    "msmtp",
    "twine",
    "yarn",
    "pnpm",
    "bun",
    "npx",
    "uvx",
    "pipx",
    "poetry",
    "hg",
    "svn",
    "rz",
    "sz",
    "croc",
    "wormhole",
    "ngrok",
    "cloudflared",
    "tailscale",
    "redis-cli",
    "mongosh",
    "mongo",
    "psql",
    "mysql",
    "kubectl",
    "oc",
    "docker",
    "podman",
    "skopeo",
    "ansible",
    "ansible-playbook",
    "ssh-copy-id",
    "git-lfs",
    "apt",
    "apt-get",
    "yum",
    "dnf",
    "apk",
    "pacman",
    "brew",
    "snap",
    "flatpak",
    "nix",
    "conda",
    "mamba",
    "choco",
    "winget",
    "gem",
    "bundle",
    "composer",
    "mvn",
    "mvnw",
    "gradle",
    "gradlew",
    "sbt",
    "go",
    "cargo",
    "npm",
    "pip",
    "pip2",
    "pip3",
    "uv",
    "pdm",
    "hatch",
    "deno",
    "invoke-webrequest",
    "iwr",
    "invoke-restmethod",
    "irm",
    "certutil",
    "bitsadmin",
    "smbclient",
    "ldapsearch",
    "swaks",
    "websocat",
    "grpcurl",
    "httpie",
    "youtube-dl",
    "yt-dlp",
])
_GIT = frozenset([
    "push",
    "fetch",
    "pull",
    "clone",
    "ls-remote",
    "submodule",
    "send-email",
    "remote",
    "archive",
    "lfs",
    "svn",
    "request-pull",
])
_CODE = frozenset([
    "python",
    "python2",
    "python3",
    "pypy",
    "perl",
    "ruby",
    "node",
    "nodejs",
    "php",
    "lua",
    "deno",
    "osascript",
    "tclsh",
    "pwsh",
    "powershell",
    "r",
    "rscript",
    "julia",
])
_CODE_FLAG = re.compile(r"-\w*[ceErp]|--eval|--exec|-$|-m$")
_SOCKET = re.compile(r"/dev/(tcp|udp)\b|/inet/")
_QUOTING = re.compile(r"[\"'\\]")

_PUBLISHES = re.compile(
    r"git( -\S+( \S+)?)* (push|send-email)\b|(npm|yarn|pnpm|bun|cargo|uv|poetry|hatch|flit|pdm|vsce|ovsx|jsr|deno) (\S+ )*publish\b|twine (\S+ )*upload"
    r"|gem push|(docker|podman|helm|skopeo|buildah|nerdctl|oras) (\S+ )*(push|copy)\b|gh (pr (create|merge|comment|review)|release (create|upload)|repo create|gist create|issue (create|comment)|api)\b"
    r"|glab (mr|release|issue) create|(mvn|mvnw|gradle|gradlew|sbt) (\S+ )*(deploy|publish)\S*|(python\S* (\S+ )*)?(\S*/)?setup\.py (\S+ )*upload|hg push|svn (commit|ci)\b|jj git push|(vercel|netlify|firebase|fly|flyctl|wrangler|heroku|serverless|sls)\b.*(deploy|--prod|publish)|dart pub publish|dotnet nuget push|nuget push|git lfs push|conda upload|anaconda upload"
)


def sends(text: str, commands: Sequence[Command]) -> bool:
    """Whether data may leave over a network, as far as anybody can see."""
    reaches = any(map(_reaches_out, commands)) or publishes(commands)
    # A shell joins pieces in quotes before it looks where they lead.
    return _SOCKET.search(_QUOTING.sub("", text)) is not None or reaches


def publishes(commands: Sequence[Command]) -> bool:
    """Whether code or packages are published."""
    return any(
        _PUBLISHES.match(" ".join((command.name, *command.words[1:]))) for command in commands
    )


def _reaches_out(command: Command) -> bool:
    name, words = command.name.lower(), command.words[1:]
    if name in _CODE:
        return any(map(_CODE_FLAG.match, words)) or not words or bool(command.feeds)
    if name == "git":
        return any(word in _GIT for word in words)
    return name in _NETWORK or (name == "openssl" and "s_client" in words)
