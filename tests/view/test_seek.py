import msgspec
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from sim.core.trace import write_trace
from sim.view.scene import Scene
from sim.view.seek import Seeker
from sim.view.snapshots import SceneSnapshots
from sim.view.tracefile import TraceFile
from tests.view.traces import file_of, made_up


def folded(file: TraceFile, n: int) -> Scene:
    scene = Scene()
    for step in range(n + 1):
        scene.on(file.event(step))
    return scene


@settings(max_examples=30, deadline=None)
@given(st.lists(st.integers(-1, 98), min_size=1, max_size=12), st.sampled_from([1, 7, 1000]))
def test_the_scene_at_any_step_is_that_of_a_fold_from_the_start(steps, every):
    file = file_of("reopen-teardown")
    seeker = Seeker(file, every)
    for n in steps:
        assert seeker.at(n) == folded(file, n)


@pytest.mark.parametrize("with_snapshots", [True, False])
def test_files_with_and_without_snapshots_give_the_same_scenes(tmp_path, with_snapshots):
    path = tmp_path / "run.jsonl"
    write_trace(path, made_up(1600), SceneSnapshots() if with_snapshots else None)
    file = TraceFile.open(path)
    seeker = Seeker(file)
    for n in (3203, 0, 2999, 1000, 999, 3000, 1):
        assert seeker.at(n) == folded(file, n)


def test_a_first_far_jump_in_a_file_with_snapshots_folds_less_than_a_thousand_events(tmp_path):
    path = tmp_path / "run.jsonl"
    write_trace(path, made_up(3000), SceneSnapshots())
    assert Seeker(TraceFile.open(path)).cost(5900) < 1000


def test_a_damaged_snapshot_is_passed_over(tmp_path):
    path = tmp_path / "run.jsonl"
    write_trace(path, made_up(600), SceneSnapshots())
    path.write_bytes(path.read_bytes().replace(b'"hosts":{"S"', b'"hots":{"S"'))
    file = TraceFile.open(path)
    assert Seeker(file).at(1100) == folded(file, 1100)


def test_a_step_behind_the_end_is_refused_with_the_steps_that_there_are():
    with pytest.raises(IndexError, match="steps 0 to"):
        Seeker(file_of("typical")).at(100_000)


@pytest.mark.parametrize("n", [0, 13, 62, 63, 80, 98])
def test_a_scene_comes_back_from_its_json(n):
    scene = folded(file_of("reopen-teardown"), n)
    told = msgspec.json.decode(msgspec.json.encode(scene.to_json()))
    assert Scene.from_json(told) == scene


def test_the_gap_of_the_late_edit_is_visible_in_the_scene():
    scene = folded(file_of("reopen-teardown"), 80)
    assert any(scene.calls[n].what == "edit" for n in scene.waits("S"))
    assert [link for link in scene.links if link.startswith("D.slack")] == ["D.slack#2"]
