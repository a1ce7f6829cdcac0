"""All keys in one table: footer, help, palette, keymap files and a test are made from it.

A key belongs to contexts: ``run`` is every view of the workbench, a view's name is
that view only, ``pane`` whatever pane has the focus, ``start`` the start screen,
``menu`` the menus. Within a context no key means two things; a view's own keys come
before those of ``run``.
"""

from __future__ import annotations

from collections.abc import Iterator

import attrs
from textual.binding import Binding

VIEWS = ("replay", "frames", "channels", "hosts", "explore", "compare", "lesson")


@attrs.frozen
class Key:
    """``id`` names it in a keymap file, ``keys`` are Textual's names, ``shown`` ours.

    ``help`` is a sentence for ``?``; ``brief`` the words in the bottom line, "" where it
    is not shown there. ``also`` says how else (mouse, other keys) one gets there.
    """

    id: str
    keys: str
    action: str
    help: str
    contexts: tuple[str, ...] = ("run",)
    brief: str = ""
    shown: str = ""
    also: str = ""

    @property
    def label(self) -> str:
        return self.shown or self.keys.split(",")[0]

    def binding(self) -> Binding:
        """For Textual's ``BINDINGS``."""
        return Binding(
            self.keys, self.action, self.brief or self.help, show=False,
            id=self.id, tooltip=self.help, key_display=self.label,
        )  # fmt: skip


_SCREENS = tuple(
    Key(
        f"screen.{view}",
        str(number),
        f"view('{view}')",
        f"The {view} screen.",
        also="click its tab",
    )
    for number, view in enumerate(VIEWS, 1)
)

KEYS: tuple[Key, ...] = (
    *_SCREENS,
    Key("time.next", "n,right", "step(1)", "One step on.", brief="step", also="wheel on the timeline"),
    Key("time.prev", "N,left", "step(-1)", "One step back.", brief="back"),
    Key("time.lane.next", "}", "lane(1)", "The next step of the same lane."),
    Key("time.lane.prev", "{", "lane(-1)", "The previous step of the same lane."),
    Key("time.mark.next", "]", "mark(1)", "The next finding, fault or difference.", brief="next mark", also="click a mark"),
    Key("time.mark.prev", "[", "mark(-1)", "The previous finding, fault or difference."),
    Key("time.play", "space", "play", "Play, or pause.", brief="play", also="click ▶"),
    Key("time.slower", "-", "speed(-1)", "Play more slowly, down to 1/4 x."),
    Key("time.faster", "+", "speed(1)", "Play faster, up to 64x."),
    Key("time.start", "0,home", "seek(0)", "The first step.", also="drag the knob"),
    Key("time.end", "$,end", "seek(-1)", "The last step."),
    Key("time.goto", ":", "goto", "Go to a step, a time (T+4.2), a frame's id or a choice."),
    Key("time.follow", "F", "follow", "Follow the end of a trace that is still being written."),
    Key("filter.edit", "/", "filter", "Filter the steps.", brief="filter"),
    Key("filter.next", ">", "match(1)", "The next step that the filter lets through."),
    Key("filter.prev", "<", "match(-1)", "The previous step that the filter lets through."),
    Key("filter.break", "B", "break_on", "Let playing stop where the filter matches."),
    Key("fault.open", "f", "fault", "Faults that could strike now.", brief="fault"),
    Key("branch.new", "b", "branch", "Branch here: do something to the run, and keep it.", brief="branch"),
    Key("branch.tree", "ctrl+b", "tree", "The tree of runs.", shown="^b"),
    Key("branch.save", "s", "save", "Save this run as a scenario that runs again."),
    Key("cause.why", "w", "why", "Light the causes of this step.", contexts=("replay", "frames", "channels"), brief="why"),
    Key("cause.then", "c", "then", "Light what follows from this step.", contexts=("replay", "frames", "channels")),
    Key("row.mark", "m", "mark_row", "Mark this frame (@marked).", contexts=("frames",), brief="mark"),
    Key("row.copy", "y", "copy", "Copy this step: text, JSON, Mermaid or a command.", brief="copy"),
    Key("row.edit", "e", "edit", "Edit this frame and send it again, on a branch.", contexts=("frames",), brief="resend"),
    Key("row.diff", "D", "diff_rows", "Compare two marked frames, field by field.", contexts=("frames",)),
    Key("diagram.merge", "m", "merge", "Merge or show what hosts do on their own.", contexts=("replay",), brief="merge"),
    Key("diagram.time", "T", "times", "Show the time of each step.", contexts=("replay",)),
    Key("diagram.hide", "h", "hide_lane", "Hide the lane of this step.", contexts=("replay",)),
    Key("diagram.show", "H", "show_lanes", "Show all lanes.", contexts=("replay",)),
    Key("message.answer", "a", "answer", "Press a button of this message, or write, as a person.", contexts=("channels",), brief="answer"),
    Key("message.owner", "o", "owner", "Go to the step at which the owner was decided.", contexts=("channels",), brief="owner"),
    Key("message.diagram", "d", "diagram", "This step in the diagram.", contexts=("channels", "frames", "hosts"), brief="diagram"),
    Key("host.changes", "c", "changes", "Only what changed since the last look.", contexts=("hosts",), brief="changes"),
    Key("host.part", "v", "part", "Durable, volatile or both: what a crash would leave.", contexts=("hosts",), brief="durable"),
    Key("host.retry", "r", "retry", "The person at the desktop presses retry, on a branch.", contexts=("hosts",), brief="retry"),
    Key("host.fault", "x", "fault", "Faults that could strike this host.", contexts=("hosts",)),
    Key("host.writer", "w", "writer", "Go to the step that wrote this.", contexts=("hosts",), brief="writer"),
    Key("compare.rules", "r", "rules", "Choose the rule that is switched off.", contexts=("compare", "replay"), brief="rules"),
    Key("compare.equal", "=", "equal", "Hide or show the steps that are equal.", contexts=("compare",), brief="equal"),
    Key("compare.swap", "\\", "swap", "Swap the two sides.", contexts=("compare",), brief="swap"),
    Key("lesson.hint", "h", "hint", "A hint.", contexts=("lesson",), brief="hint"),
    Key("lesson.cut", "x", "lesson_cut", "Do to the run what the lesson asks for.", contexts=("lesson",), brief="try"),
    Key("lesson.answer", "a", "lesson_answer", "Answer the question of the lesson.", contexts=("lesson",), brief="answer"),
    Key("lesson.restart", "R", "lesson_restart", "Begin the lesson again.", contexts=("lesson",), brief="restart"),
    Key("lesson.next", "l", "lesson_next", "The next lesson.", contexts=("lesson",), brief="next lesson"),
    Key("explore.start", "enter", "explore_start", "Start a search, or open the chosen finding.", contexts=("explore",), brief="start / open"),
    Key("explore.stop", "p", "explore_stop", "Stop the search.", contexts=("explore",), brief="stop"),
    Key("explore.restart", "R", "explore_restart", "Search again with another seed.", contexts=("explore",), brief="again"),
    Key("explore.invariants", "i", "explore_invariants", "All invariants: exercised how often, broken where.", contexts=("explore",), brief="invariants"),
    Key("explore.covered", "v", "explore_covered", "What the search has covered, in words.", contexts=("explore",), brief="covered"),
    Key("explore.mutants", "u", "explore_mutants", "Whether known defects are noticed; pressed again, the list of them.", contexts=("explore",), brief="mutants"),
    Key("focus.next", "tab", "pane(1)", "The next pane.", also="click it"),
    Key("focus.prev", "shift+tab", "pane(-1)", "The previous pane."),
    Key("focus.jump", "ctrl+o", "jump", "Jump to a pane by its letter.", shown="^o"),
    Key("pane.max", "\\", "maximise", "Maximise this pane, and back.", also="double click"),
    Key("app.help", "?", "help", "All keys.", brief="help"),
    Key("app.here", "f1", "here", "What is this screen?"),
    Key("app.screenshot", "ctrl+s", "shot", "Save this screen as SVG and text.", shown="^s"),
    Key("app.palette", "ctrl+p", "app.command_palette", "Everything by name.", shown="^p", brief="palette"),
    Key("app.back", "escape,q", "back", "Close, cancel, or leave.", brief="leave", shown="q", also="Ctrl-C twice quits"),
    Key("pane.down", "j,down", "scroll(1)", "Down.", contexts=("pane",), also="wheel"),
    Key("pane.up", "k,up", "scroll(-1)", "Up.", contexts=("pane",)),
    Key("pane.page.down", "pagedown,ctrl+f", "page(1)", "A page down.", contexts=("pane",)),
    Key("pane.page.up", "pageup", "page(-1)", "A page up.", contexts=("pane",)),
    Key("pane.top", "g", "edge(0)", "To the top.", contexts=("pane",)),
    Key("pane.bottom", "G", "edge(-1)", "To the bottom.", contexts=("pane",)),
    Key("pane.enter", "enter", "enter", "Open, unfold or go there.", contexts=("pane",), also="double click"),
)  # fmt: skip
"""Every key of a run."""

START_KEYS: tuple[Key, ...] = (
    Key("start.open", "enter", "open", "Open what is chosen.", ("start",), "open", also="click"),
    Key("start.down", "j,down", "move(1)", "Down.", ("start",), also="wheel"),
    Key("start.up", "k,up", "move(-1)", "Up.", ("start",)),
    Key("start.top", "g,home", "edge(0)", "The first.", ("start",)),
    Key("start.bottom", "G,end", "edge(-1)", "The last.", ("start",)),
    Key("start.page.down", "pagedown", "move(10)", "A page down.", ("start",)),
    Key("start.page.up", "pageup", "move(-10)", "A page up.", ("start",)),
    Key("start.filter", "/", "filter", "Look for a name.", ("start",), "filter"),
    Key("start.trace", "t", "trace", "Open a trace file.", ("start",), "open trace"),
    Key("start.live", "l", "live", "Watch a session of hooktwin serve, and act on it.", ("start",)),
    Key("start.help", "?", "help", "All keys.", ("start",), "help"),
    Key("start.palette", "ctrl+p", "app.command_palette", "Everything by name.", ("start",), "palette", shown="^p"),
    Key("start.quit", "q,escape", "quit", "Leave.", ("start",), "quit"),
)  # fmt: skip
"""The keys of the start screen."""

ALL = (*KEYS, *START_KEYS)


def keys_of(*contexts: str) -> Iterator[Key]:
    """The keys of some contexts, a view's own ones first."""
    own = [
        key
        for key in ALL
        if key.contexts != ("run",) and not set(contexts).isdisjoint(key.contexts)
    ]
    taken = {name for key in own if "pane" not in key.contexts for name in key.keys.split(",")}
    yield from own
    for key in ALL:
        if key.contexts == ("run",) and "run" in contexts and taken.isdisjoint(key.keys.split(",")):
            yield key


def bindings(*contexts: str) -> list[Binding]:
    """Textual's bindings of some contexts."""
    return [key.binding() for key in ALL if not set(contexts).isdisjoint(key.contexts)]
