"""`ouro paws`: everything of the program `paws`, under one name."""

from ouroboros.faces.cli.groups import LazyGroup
from ouroboros.faces.cli.tree import PAWS, PAWS_HELP

command = LazyGroup(PAWS, "paws", PAWS_HELP)
command.no_args_is_help, command.invoke_without_command = True, False
