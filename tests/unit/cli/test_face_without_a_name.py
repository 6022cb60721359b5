"""Which words open the full-screen face although they name no command."""

import pytest

from ouroboros.faces.cli.tree import Root


@pytest.mark.proves("V10")
@pytest.mark.parametrize(
    ("words", "named"),
    [
        (["--continue"], ["tui", "--continue"]),
        (["--resume", "ses_1"], ["tui", "--resume", "ses_1"]),
        (["--model=x/y", "do", "it"], ["tui", "--model=x/y", "do", "it"]),
        (["--debug", "-C", "there"], ["tui", "-C", "there"]),
        (["--profile", "work", "--mode", "plan"], ["tui", "--mode", "plan"]),
        (["run", "--mode", "plan"], ["run", "--mode", "plan"]),
        (["--verbose", "chat"], ["chat"]),
        ([], []),
    ],
)
def test_options_of_a_session_without_a_command_open_it(words: list[str], named: list[str]) -> None:
    root = Root()
    with root.make_context("ouro", words) as context:
        assert [*context._protected_args, *context.args] == named
