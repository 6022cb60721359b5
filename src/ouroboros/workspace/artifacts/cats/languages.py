"""What a block's language is called, by the name of its file; pure."""

_BY_SUFFIX = {
    "bash": "bash", "c": "c", "cc": "cpp", "cfg": "ini", "clj": "clojure", "cmake": "cmake", "conf": "ini",
    "cpp": "cpp", "cs": "csharp", "css": "css", "csv": "csv", "cts": "typescript", "cxx": "cpp", "dart": "dart",
    "diff": "diff", "erl": "erlang", "ex": "elixir", "exs": "elixir", "fish": "fish", "fs": "fsharp", "go": "go",
    "gradle": "groovy", "graphql": "graphql", "groovy": "groovy", "h": "c", "hh": "cpp", "hpp": "cpp", "hs": "haskell",
    "htm": "html", "html": "html", "ini": "ini", "ipynb": "json", "java": "java", "jl": "julia", "js": "javascript",
    "json": "json", "json5": "json5", "jsonl": "json", "jsx": "jsx", "kt": "kotlin", "kts": "kotlin", "less": "less",
    "lua": "lua", "m": "objectivec", "markdown": "markdown", "md": "markdown", "mjs": "javascript", "cjs": "javascript",
    "ml": "ocaml", "mts": "typescript", "nix": "nix", "patch": "diff", "php": "php", "pl": "perl", "pm": "perl",
    "proto": "protobuf", "ps1": "powershell", "py": "python", "pyi": "python", "r": "r", "rb": "ruby", "rs": "rust",
    "rst": "rst", "sass": "sass", "scala": "scala", "scss": "scss", "sh": "bash", "sql": "sql", "svelte": "svelte",
    "svg": "xml", "swift": "swift", "tf": "hcl", "tex": "latex", "toml": "toml", "ts": "typescript", "tsx": "tsx",
    "vim": "vim", "vue": "vue", "xml": "xml", "yaml": "yaml", "yml": "yaml", "zig": "zig", "zsh": "zsh",
}  # fmt: skip
_BY_NAME = {
    "dockerfile": "dockerfile",
    "gemfile": "ruby",
    "justfile": "just",
    "makefile": "makefile",
    "rakefile": "ruby",
    "cmakelists.txt": "cmake",
}


def language_of(path: str) -> str:
    """The language of a file, ``text`` where its name tells none."""
    name = path.rpartition("/")[2].lower()
    return _BY_NAME.get(name) or _BY_SUFFIX.get(name.rpartition(".")[2], "text")
