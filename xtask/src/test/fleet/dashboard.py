"""Judges a dashboard by the types of Grafana's own SDK: every field is one of theirs and has their type."""

import enum
import inspect
import json
import sys
import typing

import typeguard
from grafana_foundation_sdk.cog.encoder import JSONEncoder
from grafana_foundation_sdk.cog.plugins import register_default_plugins
from grafana_foundation_sdk.models.dashboard import Dashboard

faults = []


def of_values(kind, _arguments, _extras):
    """The SDK reads an enum as the plain value in the file."""

    def check(value, _kind, _arguments, _memo):
        if value not in [known.value for known in kind]:
            raise typeguard.TypeCheckError(f"is none of {[known.value for known in kind]}")

    return check if inspect.isclass(kind) and issubclass(kind, enum.Enum) else None


def types(path, value):
    """Each value has the type that the SDK declares for it."""
    if isinstance(value, list):
        for index, item in enumerate(value):
            types(f"{path}[{index}]", item)
    elif isinstance(value, dict):
        for key, item in value.items():
            types(f"{path}.{key}", item)
    elif type(value).__module__.startswith("grafana_foundation_sdk."):
        for name, declared in typing.get_type_hints(type(value)).items():
            item = getattr(value, name, None)
            if item is None:
                continue
            try:
                typeguard.check_type(item, declared)
            except typeguard.TypeCheckError as error:
                faults.append(f"{path}.{name}: {error}")
            types(f"{path}.{name}", item)


def kept(path, ours, theirs):
    """The SDK leaves out what it does not know."""
    if isinstance(ours, dict) and isinstance(theirs, dict):
        for key, value in ours.items():
            kept(f"{path}.{key}", value, theirs.get(key))
    elif isinstance(ours, list) and isinstance(theirs, list) and len(ours) == len(theirs):
        for index, (our, their) in enumerate(zip(ours, theirs)):
            kept(f"{path}[{index}]", our, their)
    elif ours != theirs:
        faults.append(f"{path}: Grafana has no such field")


def judge(dashboard):
    faults.clear()
    model = Dashboard.from_json(dashboard)
    types("", model)
    kept("", dashboard, json.loads(JSONEncoder().encode(model)))
    return list(faults)


register_default_plugins()
typeguard.config.collection_check_strategy = typeguard.CollectionCheckStrategy.ALL_ITEMS
typeguard.checker_lookup_functions.insert(0, of_values)
with open(sys.argv[1], encoding="utf-8") as file:
    text = file.read()
found = judge(json.loads(text))

# What is wrong would be found.
for wrong in [("graphTooltip", "shared"), ("colour", "red"), ("panels", [{"type": "stat", "title": 7}])]:
    if not judge(json.loads(text) | dict([wrong])):
        found.append(f"{wrong} should be refused")
print(*found, sep="\n")
sys.exit(bool(found))
