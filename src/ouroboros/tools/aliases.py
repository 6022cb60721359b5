"""Names that model families know for our tools and arguments, and the one name each has here."""

TOOLS: dict[str, str] = {
    "applypatch": "apply_patch",
    "bash": "shell",
    "exec": "shell",
    "findfiles": "find",
    "finish": "done",
    "glob": "find",
    "list": "ls",
    "listdirectory": "ls",
    "listfiles": "ls",
    "readfile": "read",
    "search": "grep",
    "searchfiles": "grep",
    "setfinal": "done",
    "shellcommand": "shell",
    "strreplace": "edit",
    "todowrite": "update_plan",
    "writefile": "write",
    "writetodos": "update_plan",
}
"""Folded foreign name (see ``folded``) to canonical name."""

ARGUMENTS: dict[str, str] = {
    "caseinsensitive": "ignore_case",
    "cmd": "command",
    "command": "cmd",
    "contextlines": "context",
    "directory": "path",
    "file": "path",
    "filename": "path",
    "filepath": "path",
    "filesonly": "files_only",
    "fileswithmatches": "files_only",
    "include": "glob",
    "newstr": "new_text",
    "newstring": "new_text",
    "newtext": "new_text",
    "oldstr": "old_text",
    "oldstring": "old_text",
    "oldtext": "old_text",
    "patch": "input",
    "query": "pattern",
    "regex": "pattern",
    "replaceall": "replace_all",
    "text": "content",
    "timeoutseconds": "timeout",
    "todos": "plan",
}
"""Folded foreign argument to canonical argument, used only where a tool has the latter."""


def folded(name: str) -> str:
    """A name without case, dashes and underscores: ``MultiEdit`` and ``multi_edit`` are one."""
    return "".join(character for character in name.lower() if character.isalnum())
