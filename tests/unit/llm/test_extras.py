"""What is missing is named with the command that helps where one stands."""

from ouroboros.llm.extras import how_to_add
from tests.cases import every


@every(
    ("package", "prefix", "command"),
    [
        ("/home/me/ouro/src", "/home/me/ouro/.venv", "/home/me/ouro/ouro extras add bedrock"),
        ("/my code/src", "/my code/.venv", "'/my code/ouro' extras add bedrock"),
        ("/home/me/ouro/src", "/home/me/ouro/.venv-dev", "pip install 'ouroboros[bedrock]'"),
        ("/e/lib/python3.12/site-packages", "/e", "pip install 'ouroboros[bedrock]'"),
        ("/e/.venv/lib/python3.12/site-packages", "/e/.venv", "pip install 'ouroboros[bedrock]'"),
    ],
)
def test_the_command_fits_the_environment(package: str, prefix: str, command: str) -> None:
    file = f"{package}/ouroboros/llm/extras.py"
    assert how_to_add("bedrock", prefix=prefix, package=file) == command
