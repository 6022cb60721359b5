"""JSON Schema as far as it is understood, and the JSON in a reply."""

from typing import Any

import msgspec
import pytest
from hypothesis import given
from hypothesis import strategies as st

from ouroboros.agent.shaping.answer import fitting
from ouroboros.agent.shaping.schema import Schema
from ouroboros.core.errors import Misuse

PERSON = {
    "type": "object",
    "properties": {"name": {"type": "string"}, "age": {"type": "integer", "minimum": 0}},
    "required": ["name"],
    "additionalProperties": False,
}
TREE = {
    "$defs": {"node": {"type": "object", "properties": {"next": {"$ref": "#/$defs/node"}}}},
    "$ref": "#/$defs/node",
}
FITTING: list[tuple[Any, Any]] = [
    (True, None),
    ({}, {"a": [1]}),
    (PERSON, {"name": "a", "age": 3}),
    (PERSON, {"name": "a", "age": 3.0}),
    ({"type": ["string", "null"]}, None),
    ({"type": "number"}, 1),
    ({"enum": [1, "a"]}, 1.0),
    ({"const": {"a": 1}}, {"a": 1.0}),
    ({"items": {"type": "string"}, "minItems": 1, "uniqueItems": True}, ["a", "b"]),
    ({"prefixItems": [{"type": "string"}], "items": False}, ["a"]),
    ({"anyOf": [{"type": "string"}, {"type": "null"}]}, None),
    ({"oneOf": [{"minimum": 3}, {"maximum": 2}]}, 1),
    ({"allOf": [{"minimum": 1}, {"maximum": 3}]}, 2),
    ({"not": {"type": "string"}}, 1),
    ({"if": {"required": ["a"]}, "then": {"required": ["b"]}}, {}),
    ({"contains": {"const": 1}}, [0, 1]),
    ({"patternProperties": {"^x": {"type": "integer"}}, "additionalProperties": False}, {"xa": 1}),
    ({"propertyNames": {"maxLength": 2}}, {"ab": 1}),
    ({"pattern": "^a+$"}, "aa"),
    ({"multipleOf": 0.1}, 0.3),
    ({"minLength": 2, "maxLength": 2}, "é!"),
    (TREE, {"next": {"next": {}}}),
    ({"format": "date", "x-own": 1, "description": "d"}, 1),
    ({"minProperties": 1, "maxProperties": 1}, {"a": 1}),
    ({"exclusiveMinimum": 1, "exclusiveMaximum": 3}, 2),
]
OTHERS: list[tuple[Any, Any, str]] = [
    (False, 1, "$: must not be there"),
    (PERSON, {"age": 3}, "$: 'name' is missing"),
    (PERSON, {"name": 1}, "$.name: expected string, got 1"),
    (PERSON, {"name": "a", "age": -1}, "$.age: expected at least 0, got -1"),
    (PERSON, {"name": "a", "x": 1}, "$.x: must not be there"),
    (PERSON, {"name": "a", "age": True}, "$.age: expected integer, got true"),
    ({"type": "integer"}, 1.5, "$: expected integer, got 1.5"),
    ({"enum": [1]}, True, "$: expected one of [1], got true"),
    ({"const": "a"}, "b", '$: expected "a", got "b"'),
    ({"items": {"type": "string"}}, ["a", 2], "$[1]: expected string, got 2"),
    ({"prefixItems": [{}], "items": False}, [1, 2], "$[1]: must not be there"),
    ({"minItems": 2}, [1], "$: expected at least 2 entries, got 1"),
    ({"uniqueItems": True}, [1, 1.0], "$: the same entry twice"),
    ({"anyOf": [{"type": "string"}, {"type": "null"}]}, 1, "$: fits none of the 2 choices"),
    ({"oneOf": [{}, {}]}, 1, "$: fits not exactly one of the 2 choices"),
    ({"allOf": [{"minimum": 1}]}, 0, "$: expected at least 1, got 0"),
    ({"not": {}}, 1, "$: is what it must not be"),
    ({"if": True, "then": {"type": "null"}}, 1, "$: expected null, got 1"),
    ({"if": False, "else": {"type": "null"}}, 1, "$: expected null, got 1"),
    ({"contains": {"const": 1}}, [0], "$: no entry is what one has to be"),
    ({"patternProperties": {"^x": {"type": "null"}}}, {"xa": 1}, "$.xa: expected null, got 1"),
    ({"propertyNames": {"maxLength": 1}}, {"ab": 1}, "$.ab (its name): expected at most"),
    ({"pattern": "^a$"}, "b", "$: does not fit the pattern '^a$': \"b\""),
    ({"multipleOf": 2}, 3, "$: expected a multiple of 2, got 3"),
    ({"maxLength": 1}, "ab", "$: expected at most 1 characters, got 2"),
    (TREE, {"next": {"next": 1}}, "$.next.next: expected object, got 1"),
    ({"exclusiveMaximum": 3}, 3, "$: expected less than 3, got 3"),
    ({"$ref": "#"}, 1, "$: more than can be checked"),
    ({"anyOf": [{"$ref": "#"}, {"$ref": "#"}]}, 1, "$: fits none of the 2 choices"),
]
NONE: list[tuple[Any, str]] = [
    ({"type": "text"}, "wrong at #/type: a type is one of array"),
    ({"type": []}, "wrong at #/type"),
    ({"properties": {"a": {"type": 3}}}, "wrong at #/properties/a/type"),
    ({"properties": []}, "wrong at #/properties: expected an object"),
    ({"items": [1]}, "wrong at #/items"),
    ({"anyOf": []}, "wrong at #/anyOf"),
    ({"required": "a"}, "wrong at #/required"),
    ({"required": [1]}, "wrong at #/required"),
    ({"minimum": "1"}, "wrong at #/minimum"),
    ({"minLength": -1}, "wrong at #/minLength"),
    ({"multipleOf": 0}, "wrong at #/multipleOf"),
    ({"uniqueItems": 1}, "wrong at #/uniqueItems"),
    ({"pattern": "("}, "wrong at #/pattern: no pattern"),
    ({"patternProperties": {"(": {}}}, "wrong at #/patternProperties: no pattern"),
    ({"$ref": "other.json"}, "only '#/...' is understood"),
    ({"$ref": "#/$defs/a"}, "which is not in it"),
    ({"$ref": "#/default", "default": {"type": 1}}, "wrong at #/default/type"),
    ({"unevaluatedProperties": False}, "demands 'unevaluatedProperties' at #"),
]


def schema(root: object) -> Schema:
    return Schema.read(msgspec.json.encode(root))


@pytest.mark.parametrize(("root", "value"), FITTING)
def test_what_fits(root: object, value: object) -> None:
    assert schema(root).problems(value) == ()


@pytest.mark.parametrize(("root", "value", "said"), OTHERS)
def test_what_does_not_fit_is_said_with_its_place(root: object, value: object, said: str) -> None:
    assert schema(root).problems(value)[0].startswith(said)


@pytest.mark.parametrize(("root", "said"), NONE)
def test_what_is_no_schema_or_not_understood_is_refused(root: object, said: str) -> None:
    with pytest.raises(Misuse) as refused:
        schema(root)
    assert said in refused.value.message


@pytest.mark.parametrize("data", [b"", b"{", b"3", b'"a"', b"[" * 100_000, b"\xff", b"[]"])
def test_a_file_that_is_no_schema_is_refused(data: bytes) -> None:
    with pytest.raises(Misuse, match="no JSON Schema"):
        Schema.read(data)


def test_only_the_first_ten_problems_are_told() -> None:
    assert len(schema({"items": {"type": "null"}}).problems([1] * 50)) == 10


JSON = st.recursive(
    st.none() | st.booleans() | st.integers(-9, 9) | st.text(max_size=3),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=2), inner),
    max_leaves=12,
)


@given(JSON)
def test_a_value_is_what_it_is_and_nothing_else(value: object) -> None:
    assert schema({"const": value}).problems(value) == ()
    assert schema({"enum": [[value]]}).problems(value) != ()


@given(JSON, JSON)
def test_whatever_a_schema_says_is_read_or_refused(root: object, value: object) -> None:
    try:
        read = schema(root)
    except Misuse:
        return
    read.problems(value)


LIST = schema({"type": "array"})


@pytest.mark.parametrize(
    "text",
    ["[1]", "  [1]\n", "```json\n[1]\n```", "Here it is:\n```\n[1]\n```\nDone.", "It is [1] then."],
)
def test_words_and_fences_around_a_value_do_no_harm(text: str) -> None:
    assert fitting(text, LIST) == ("[1]", ())


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ('{"a": [1]}', "expected array"),
        ('The list: {"a": [1]}', "expected array"),
        ("none", "it is no JSON"),
        ("", "it is empty"),
        ("[1", "it is no JSON"),
        ("3", "expected array"),
    ],
)
def test_what_is_within_another_value_is_not_the_answer(text: str, said: str) -> None:
    found, problems = fitting(text, LIST)
    assert (found, said in problems[0]) == ("", True)
