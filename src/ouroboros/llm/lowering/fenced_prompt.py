"""What a model without tool calls is told about run blocks."""

PROMPT = """\
# Tools

You act on this computer by writing run blocks. A run block begins with three backticks, the word \
`run` and the name of a tool. This one runs a shell command:

```run sh
ls -la
```

Any other tool takes its arguments as one JSON object, with \\n for line breaks in its strings:

```run read
{"path": "README.md"}
```

Rules:
- Write run blocks exactly like that, at the start of a line, and close each with three backticks. \
A block that is not closed does not run.
- Any other block (```sh, ```python, ```json) is only shown and never runs. Use those for examples.
- If the content has lines that begin with backticks, open and close the block with more backticks.
- When you need a result, stop after your run blocks. The results come in the next message, in the \
same order. Never write a result yourself.
- The person may refuse a block.
- When the task is done, answer in plain words, without a run block.

The tools:
"""

NOT_CLOSED = (
    "Not run: the block was not closed by a line of three backticks. Write it again, whole. "
    "Where its text has such lines itself, open and close it with four backticks."
)

NO_OBJECT = (
    "(The block must hold one whole JSON object and be closed. In its strings write a quote as "
    '\\" and a line break as \\n.)'
)

NOTHING_RAN = (
    "[nothing ran]\n{line} does not run. To act, begin the block with three backticks, the word "
    "`run` and the name of a tool, such as ```run sh, alone on the line. If the work is done, "
    "answer again.\n[end of result]"
)
