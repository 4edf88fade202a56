"""The names in the interface of plug-ins: existing plug-ins may use the old ones."""

import shutil
from pathlib import Path

import pytest

from permove.agents.specs import expand, find
from permove.plugins import Range
from permove.plugins.example import TEMPLATES
from support import build, rejects

C_PLUGIN = """
#include "permove.h"
static const permove_parameter parameters[] = {PARAMETER};
static void *create(const permove_setup *setup) { (void)setup; return (void *)parameters; }
static const char *plan(void *instance, permove_world *world) {
    permove_successor successors[SUCCESSORS];
    (void)instance;
    world->expand(world, world->at, successors);
    return NULL;
}
static const permove_agent agents[] = {
    {.name = "mine", .about = "Does nothing.", .parameters = parameters, .parameter_count = 1, .create = create,
     .plan = plan},
};
uint32_t permove_abi(void) { return PERMOVE_ABI; }
const permove_agent *permove_agents(uint32_t *count) { *count = 1; return agents; }
"""
NAMED = '{{.name = "k", .kind = PERMOVE_INTEGER, .{} = 2, .{} = 9, .fallback = 3}}'
PARAMETERS = {
    "new": NAMED.format("min", "max"),
    "old": NAMED.format("least", "most"),
    "unnamed": '{"k", "", PERMOVE_INTEGER, NULL, 2, 9, 3}',
}
SUCCESSORS = {"new": "PERMOVE_MAX_SUCCESSORS", "old": "PERMOVE_MOST_SUCCESSORS", "unnamed": "8"}


@pytest.mark.parametrize("names", list(PARAMETERS))
def test_header_accepts_new_names_old_names_and_no_names(names: str, tmp_path: Path) -> None:
    shutil.copy(TEMPLATES / "c" / "permove.h", tmp_path)
    source = C_PLUGIN.replace("PARAMETER}", PARAMETERS[names] + "}").replace("[SUCCESSORS]", f"[{SUCCESSORS[names]}]")
    (tmp_path / "mine.c").write_text(source)
    warnings = ("-std=c11", "-Wall", "-Wextra", "-Werror")
    build(tmp_path, "cc", *warnings, "-fPIC", "-shared", "-o", "libmine.so", "mine.c")
    parameter = find(f"{tmp_path}/libmine.so:mine").params[0]
    assert (parameter.name, parameter.range, parameter.default) == ("k", "2..9", "3")
    with rejects("k=10 is out of range; k is 2..9"):
        expand(f"{tmp_path}/libmine.so:mine(k=10)")


def test_rust_interface_keeps_the_old_name_of_the_number_of_successors(tmp_path: Path) -> None:
    shutil.copy(TEMPLATES / "rust" / "permove.rs", tmp_path)
    source = "mod permove;\npub const SAME: [(); permove::MOST_SUCCESSORS] = [(); permove::MAX_SUCCESSORS];\n"
    (tmp_path / "mine.rs").write_text(f"#![allow(unused_macros, unused_imports)]\n{source}")
    build(tmp_path, "rustc", "--edition=2021", "--crate-type=lib", "--emit=metadata", "mine.rs")


def test_ranges_accept_new_names_old_names_and_no_names() -> None:
    assert Range(1, 5) == Range(min=1, max=5) == Range(least=1, most=5)
    assert Range(least=1) == Range(1)
    assert Range(most=5) == Range(max=5) != Range(5)
