"""Package managers, languages, containers: what they say of themselves without running code of the project."""

_DOCKER_LIST = (
    "-aqnls -f= --all --quiet --filter= --format= --no-trunc --last= --latest --size --digests"
)

READS: dict[str, str] = {
    "apt list": "-a --installed --upgradable --all-versions --manual-installed NAMES",
    "apt search": "--names-only WORDS",
    "apt show": "-a NAMES",
    "apt-cache depends": "NAMES",
    "apt-cache policy": "NAMES",
    "apt-cache search": "--names-only WORDS",
    "apt-cache show": "NAMES",
    "apt-mark showhold": "NAMES",
    "apt-mark showmanual": "NAMES",
    "brew info": ":bare_names NAMES",
    "brew list": "-1 --versions --cask --formula :bare_names NAMES",
    "docker compose version": "--short",
    "docker container ls": _DOCKER_LIST,
    "docker context ls": "-q",
    "docker diff": "NAMES",
    "docker history": "-qH --no-trunc --format= NAMES",
    "docker image ls": _DOCKER_LIST + " NAMES",
    "docker images": _DOCKER_LIST + " NAMES",
    "docker info": "--format= -f=",
    "docker logs": "-ft -n= --follow --timestamps --tail= --since= --until= --details NAMES",
    "docker network ls": _DOCKER_LIST,
    "docker port": "NAMES",
    "docker ps": _DOCKER_LIST,
    "docker stats": "-a --all --no-stream --no-trunc --format= NAMES",
    "docker top": "NAMES",
    "docker version": "--format= -f=",
    "docker volume ls": _DOCKER_LIST,
    "dpkg": "-lLsSpV --list --listfiles --status --search --print-architecture --get-selections NAMES",
    "dpkg-query": "-WlLsS -f= --show --list --showformat= NAMES",
    "flatpak list": "--app --runtime",
    "gem list": "-l --local NAMES",
    "go env": "-json NAMES",
    "go version": "",
    "helm list": "-aA -n= --all --all-namespaces --namespace= -o= --output=",
    "helm version": "--short",
    "kubectl api-resources": "-o= --namespaced= --api-group= --no-headers",
    "kubectl api-versions": "",
    "kubectl cluster-info": "",
    "kubectl config current-context": "",
    "kubectl config get-contexts": "-o= --no-headers NAMES",
    "kubectl describe": "-A -n= -l= --namespace= --selector= --all-namespaces --show-events= --context= :kubectl NAMES",
    "kubectl explain": "--recursive --api-version= NAMES",
    "kubectl get": "-Aw -n= -l= -o= -L= --namespace= --selector= --all-namespaces --output= --show-labels --no-headers --field-selector= --sort-by= --watch --show-kind --context= --ignore-not-found --chunk-size= :kubectl NAMES",
    "kubectl logs": "-fp -c= -n= -l= --follow --previous --container= --namespace= --selector= --tail= --since= --timestamps --all-containers --context= --limit-bytes= --prefix NAMES",
    "kubectl top": "-A -n= --namespace= --containers --sort-by= --no-headers NAMES",
    "kubectl version": "-o= --client --short --output=",
    "npm bin": "",
    "npm config get": ":one :plain_key NAMES",
    "npm list": "-algp --all --global --long --json --depth= --parseable --prod --production --omit= --dev --link NAMES",
    "npm ll": "-ag --all --json --depth= NAMES",
    "npm ls": "-algp --all --global --long --json --depth= --parseable --prod --production --omit= --dev --link NAMES",
    "npm prefix": "-g --global",
    "npm root": "-g --global",
    "pip check": "",
    "pip freeze": "-l --local --user --all --exclude=",
    "pip list": "-leu --local --user --editable --format= --not-required --exclude= --exclude-editable --disable-pip-version-check -v",
    "pip show": "-fv --files --verbose --disable-pip-version-check NAMES",
    "pip3 freeze": "-l --local --user --all",
    "pip3 list": "-l --local --user --format= --not-required --disable-pip-version-check",
    "pip3 show": "-fv --files --verbose NAMES",
    "rpm": "-qaiIlRcds --query --all --info --list --requires :query NAMES",
    "rustup show": ":rust",
    "rustup toolchain list": "-v :rust",
    "snap list": "--all NAMES",
    "uv version": "--short",
}
VERSIONS = frozenset(
    "bash buf bun cc clang clang++ cmake code curl deno docker emacs ffmpeg fzf g++ gcc gdb gem gh ghc gitleaks go "
    "gofmt gpg helm hugo java javac jq julia kotlin kubectl less lua make mysql nano nginx ninja nmap node nodejs npm npx "
    "nvim openssl pandoc perl php pip pip3 podman tsc protoc psql python python2 python3 redis-cli rg ripgrep ruby "
    "ruff rsync screen shellcheck sqlite3 ssh strace swift tar terraform tmux tree unzip uv valgrind vim wget which zig zip zsh "
    "awk gawk sed grep find git ls cat sort diff bc pkg-config autoconf automake ld as ar objdump readelf xz gzip bzip2 zstd "
    "docker-compose kind minikube k9s aws gcloud az fd bat eza exa sh dash cargo rustc rustup rustfmt".split()
)
"""Programs that may be asked for their version and do nothing else then."""

VERSION_WORDS: dict[str, frozenset[str]] = {
    "--version": VERSIONS,
    "-V": frozenset("python python2 python3 pip pip3 ssh tmux rustc cargo".split()),
    "-v": frozenset("node nodejs npm npx nginx ruby perl php docker gcc clang tsc".split()),
    "-version": frozenset("java javac ffmpeg".split()),
    "version": frozenset("go docker helm kind minikube openssl hugo buf zig uv".split()),
}
RUST = frozenset({"cargo", "rustc", "rustup", "rustfmt"})
"""A file of the project may name the folder that these take their programs from."""
