"""JSON Schema, and the JSON in a reply."""

import socket
from typing import Any

import msgspec
import pytest
from hypothesis import given
from hypothesis import strategies as st

from ouroboros.agent.shaping.answer import fitting
from ouroboros.agent.shaping.schema import Schema
from ouroboros.core.errors import Misuse
from tests.cases import every

pytestmark = pytest.mark.real

OLD = "http://json-schema.org/"
NEW = "https://json-schema.org/draft/2020-12/schema"
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
WITHIN = {"properties": {"a": {"$ref": "#"}, "price": {"multipleOf": 0.01}}}
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
    ({"multipleOf": 0.01}, 19.99),
    ({"multipleOf": 1e-308}, 1e308),
    ({**WITHIN, "$schema": NEW}, {"a": {"price": 19.99}}),
    ({"minLength": 2, "maxLength": 2}, "é!"),
    (TREE, {"next": {"next": {}}}),
    ({"format": "date", "x-own": 1, "description": "d", "no keyword": {"type": 3}}, 1),
    ({"$schema": NEW, "$ref": "#/$defs/a", "$defs": {"a": {"$anchor": "b"}}}, 1),
    ({"$schema": f"{OLD}draft-07/schema#", "definitions": {"a": {}}, "$ref": "#/definitions/a"}, 1),
    ({"$id": "https://a.example/b", "items": {"$ref": "c"}, "$defs": {"c": {"$id": "c"}}}, [1]),
    ({"$schema": "https://a.example/own", "type": "integer"}, 1),
    ({"$ref": NEW}, {"type": "string"}),
    ({"minProperties": 1, "maxProperties": 1}, {"a": 1}),
    ({"exclusiveMinimum": 1, "exclusiveMaximum": 3}, 2),
]
LAUGHS = {
    "$defs": {
        **{f"d{n}": {"allOf": [{"$ref": f"#/$defs/d{n + 1}"}] * 2} for n in range(40)},
        "d40": {"type": "null"},
    },
    "$ref": "#/$defs/d0",
}
OTHERS: list[tuple[Any, Any, str]] = [
    (False, 1, "$: False schema does not allow 1"),
    (PERSON, {"age": 3}, "$: 'name' is a required property"),
    (PERSON, {"name": 1}, "$.name: 1 is not of type 'string'"),
    (PERSON, {"name": "a", "age": -1}, "$.age: -1 is less than the minimum of 0"),
    (
        PERSON,
        {"name": "a", "x": 1},
        "$: Additional properties are not allowed ('x' was unexpected)",
    ),
    (PERSON, {"name": "a", "age": True}, "$.age: True is not of type 'integer'"),
    ({"type": "integer"}, 1.5, "$: 1.5 is not of type 'integer'"),
    ({"enum": [1]}, True, "$: True is not one of [1]"),
    ({"const": "a"}, "b", "$: 'a' was expected"),
    ({"items": {"type": "string"}}, ["a", 2], "$[1]: 2 is not of type 'string'"),
    ({"prefixItems": [{}], "items": False}, [1, 2], "$: Expected at most 1 item"),
    ({"minItems": 2}, [1], "$: [1] is too short (minItems 2)"),
    ({"uniqueItems": True}, [1, 1.0], "$: [1, 1.0] has non-unique elements"),
    ({"anyOf": [{"type": "string"}, {"type": "null"}]}, 1, "$: 1 is not valid under any of"),
    ({"oneOf": [{}, {}]}, 1, "$: 1 is valid under each of"),
    ({"allOf": [{"minimum": 1}]}, 0, "$: 0 is less than the minimum of 1"),
    ({"not": {}}, 1, "$: 1 should not be valid under {}"),
    ({"if": True, "then": {"type": "null"}}, 1, "$: 1 is not of type 'null'"),
    ({"if": False, "else": {"type": "null"}}, 1, "$: 1 is not of type 'null'"),
    ({"contains": {"const": 1}}, [0], "$: [0] does not contain items"),
    ({"patternProperties": {"^x": {"type": "null"}}}, {"xa": 1}, "$.xa: 1 is not of type 'null'"),
    ({"propertyNames": {"maxLength": 1}}, {"ab": 1}, "$: 'ab' is too long (maxLength 1)"),
    ({"pattern": "^a$"}, "b", "$: 'b' does not match '^a$'"),
    ({"multipleOf": 2}, 3, "$: 3 is not a multiple of 2"),
    ({"multipleOf": 0.01}, 19.995, "$: 19.995 is not a multiple of 0.01"),
    (TREE, {"next": {"next": 1}}, "$.next.next: 1 is not of type 'object'"),
    ({"exclusiveMaximum": 3}, 3, "$: 3 is greater than or equal to the maximum of 3"),
    ({"unevaluatedProperties": False}, {"a": 1}, "$: Unevaluated properties are not allowed"),
    ({"dependentRequired": {"a": ["b"]}}, {"a": 1}, "$: 'b' is a dependency of 'a'"),
    ({"properties": {"a b": {"const": 1}}}, {"a b": 2}, "$['a b']: 1 was expected"),
    ({"$ref": "#"}, 1, "$: more than can be checked"),
    ({"anyOf": [{"$ref": "#"}, {"$ref": "#"}]}, 1, "$: more than can be checked"),
    ({"$schema": f"{OLD}draft-07/schema#", "items": [{"const": 1}]}, [2], "$[0]: 1 was expected"),
    ({"$schema": f"{OLD}draft-04/schema#", "maximum": 3, "exclusiveMaximum": True}, 3, "$: 3 is"),
    ({"$schema": f"{OLD}draft-04/schema#", "patternProperties": {"(": {}}}, {"a": 1}, "$: more"),
]
NONE: list[tuple[Any, str]] = [
    ({"type": "text"}, "wrong at #/type: 'text' is not one of ['array', 'boolean'"),
    ({"type": []}, "wrong at #/type"),
    ({"properties": {"a": {"type": 3}}}, "wrong at #/properties/a/type"),
    ({"properties": []}, "wrong at #/properties: [] is not of type 'object'"),
    ({"items": [1]}, "wrong at #/items"),
    ({"anyOf": []}, "wrong at #/anyOf"),
    ({"required": "a"}, "wrong at #/required"),
    ({"required": [1]}, "wrong at #/required"),
    ({"minimum": "1"}, "wrong at #/minimum"),
    ({"minLength": -1}, "wrong at #/minLength"),
    ({"multipleOf": 0}, "wrong at #/multipleOf"),
    ({"uniqueItems": 1}, "wrong at #/uniqueItems"),
    ({"pattern": "("}, "wrong at #/pattern: '(' is not a 'regex'"),
    ({"pattern": "a{99999999999999999999}"}, "more than can be checked"),
    ({"patternProperties": {"(": {}}}, "wrong at #/patternProperties: '(' is not a 'regex'"),
    ({"$ref": "other.json"}, "refers to 'other.json', which is not in it"),
    ({"$ref": "file:///etc/passwd"}, "which is not in it"),
    ({"$ref": "http://["}, "which is not in it"),
    ({"$ref": "#/$defs/a"}, "which is not in it"),
    ({"$ref": "#/type/x", "type": ["null"]}, "which is not in it"),
    ({"$ref": "#/minimum/x", "minimum": 1}, "which is not in it"),
    ({"$dynamicRef": "#a"}, "which is not in it"),
    ({"properties": {"a": {"items": {"$ref": "#b"}}}}, "'#b', which is not in it"),
    ({"$schema": f"{OLD}draft-04/schema#", "$ref": 3}, "refers to 3, which is not in it"),
    ({"$ref": "#/default", "default": {"type": 1}}, "wrong at #/default/type"),
    ({"$ref": "#/default", "default": {"$ref": "a"}}, "'a', which is not in it"),
    ({"$schema": f"{OLD}draft-03/schema#"}, "of draft 3"),
    ({"$schema": "http://["}, "its $schema is 'http://['"),
    ({"$schema": [1]}, "wrong at #/$schema"),
    ({"$schema": f"{OLD}draft-04/schema#", "minimum": 1, "exclusiveMinimum": 2}, "wrong at #/excl"),
    ({"items": {"$schema": f"{OLD}draft-07/schema#"}}, "a part of another draft"),
]


def schema(root: object) -> Schema:
    return Schema.read(msgspec.json.encode(root))


@pytest.mark.deep
@pytest.mark.proves("codex-30")
@every(("root", "value"), FITTING)
def test_what_fits(root: object, value: object) -> None:
    assert schema(root).problems(value) == ()


@pytest.mark.proves("codex-30")
@every(("root", "value", "said"), OTHERS)
def test_what_does_not_fit_is_said_with_its_place(root: object, value: object, said: str) -> None:
    assert schema(root).problems(value)[0].startswith(said)


@pytest.mark.proves("codex-30")
@every(("root", "said"), NONE)
def test_what_is_no_schema_or_not_whole_is_refused(root: object, said: str) -> None:
    with pytest.raises(Misuse) as refused:
        schema(root)
    assert said in refused.value.message


@every("data", [b"", b"{", b"3", b'"a"', b"[" * 100_000, b"\xff", b"[]"])
def test_a_file_that_is_no_schema_is_refused(data: bytes) -> None:
    with pytest.raises(Misuse, match="no JSON Schema"):
        Schema.read(data)


def test_only_the_first_ten_problems_are_told() -> None:
    assert len(schema({"items": {"type": "null"}}).problems([1] * 50)) == 10


def test_a_problem_with_much_is_told_in_few_words() -> None:
    (told,) = schema({"maxItems": 3}).problems(["a long word"] * 10_000)
    assert len(told) < 300
    assert told.startswith("$: ['a long word'")
    assert told.endswith("is too long (maxItems 3)")


def test_of_choices_the_nearest_is_told_too() -> None:
    first = {"properties": {"kind": {"const": "a"}, "size": {"type": "integer"}}}
    (told,) = schema({"anyOf": [{"type": "null"}, first]}).problems({"kind": "a", "size": "x"})
    assert told.startswith("$: {'kind': 'a', 'size': 'x'} is not valid under any of")
    assert told.endswith("; nearest to it: $.size: 'x' is not of type 'integer'")


@pytest.mark.deep
@pytest.mark.proves("codex-30")
@pytest.mark.parametrize("value", [None, 1])
def test_a_schema_that_swells_ends(value: object) -> None:
    problems = Schema(LAUGHS, most_steps=2_000).problems(value)
    assert ("$: more than can be checked" in problems) == (value is None)
    assert len(problems) == (1 if value is None else 10)


@every("most", [1, 5])
def test_each_value_has_all_the_steps(most: int) -> None:
    read = Schema({"items": {"type": "integer"}}, most_steps=most)
    assert read.problems([1]) == read.problems([1])
    assert (read.problems([1]) == ()) == (most == 5)


@every("depth", [40, 300])
def test_a_schema_is_as_deep_as_can_be_checked(depth: int) -> None:
    root: dict[str, Any] = {}
    for _ in range(depth):
        root = {"properties": {"a": root}}
    if depth == 40:
        assert schema(root).problems({"a": {}}) == ()
        return
    with pytest.raises(Misuse, match="more than can be checked"):
        schema(root)


def test_an_answer_that_is_too_deep_does_not_fit() -> None:
    value: dict[str, Any] = {}
    for _ in range(900):
        value = {"next": value}
    assert schema(TREE).problems(value) == ("$: more than can be checked",)


@pytest.mark.proves("codex-30")
@every("word", ["$ref", "$dynamicRef", "$schema"])
def test_nothing_is_fetched(word: str) -> None:
    with socket.create_server(("127.0.0.1", 0)) as server:
        address = f"http://127.0.0.1:{server.getsockname()[1]}/schema.json"
        if word == "$schema":
            assert schema({word: address}).problems(1) == ()
        else:
            with pytest.raises(Misuse, match="which is not in it") as refused:
                schema({word: address})
            assert refused.value.hint == "nothing is fetched from elsewhere"
        server.settimeout(0)
        with pytest.raises(BlockingIOError):
            server.accept()


JSON = st.recursive(
    st.none() | st.booleans() | st.integers(-9, 9) | st.text(max_size=3),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=2), inner),
    max_leaves=12,
)


@pytest.mark.deep
@given(JSON)
def test_a_value_is_what_it_is_and_nothing_else(value: object) -> None:
    assert schema({"const": value}).problems(value) == ()
    assert schema({"enum": [[value]]}).problems(value) != ()


WORDS = (
    *("$ref", "$dynamicRef", "$id", "$schema", "$defs", "$anchor", "properties", "items", "anyOf"),
    *("not", "if", "type", "minimum", "multipleOf", "pattern", "patternProperties", "required"),
    *("additionalProperties", "unevaluatedProperties", "enum", "dependencies", "definitions"),
)
THINGS = ("#", "#/$defs/a", "#a", "b", "http://[", NEW, f"{OLD}draft-04/schema#", "(", "string")
RULES = st.recursive(
    st.none() | st.booleans() | st.integers(-1, 2) | st.sampled_from(THINGS),
    lambda inner: (
        st.dictionaries(st.sampled_from((*WORDS, "a", "(")), inner, max_size=3)
        | st.lists(inner, max_size=2)
    ),
    max_leaves=10,
)


@pytest.mark.deep
@given(st.dictionaries(st.sampled_from(WORDS), RULES, max_size=4), JSON)
def test_whatever_a_schema_says_is_read_or_refused(root: object, value: object) -> None:
    try:
        read = schema(root)
    except Misuse:
        return
    read.problems(value)


LIST = schema({"type": "array"})


@every(
    "text",
    ["[1]", "  [1]\n", "```json\n[1]\n```", "Here it is:\n```\n[1]\n```\nDone.", "It is [1] then."],
)
def test_words_and_fences_around_a_value_do_no_harm(text: str) -> None:
    assert fitting(text, LIST) == ("[1]", ())


@pytest.mark.proves("codex-30")
@every(
    ("text", "said"),
    [
        ('{"a": [1]}', "is not of type 'array'"),
        ('The list: {"a": [1]}', "is not of type 'array'"),
        ("none", "it is no JSON"),
        ("", "it is empty"),
        ("[1", "it is no JSON"),
        ("3", "is not of type 'array'"),
    ],
)
def test_what_is_within_another_value_is_not_the_answer(text: str, said: str) -> None:
    found, problems = fitting(text, LIST)
    assert (found, said in problems[0]) == ("", True)
