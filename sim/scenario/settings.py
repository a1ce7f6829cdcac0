"""Directives about the whole run: ``@seed``, ``@latency``, ``@rule`` … and ``@strict``."""

from __future__ import annotations

from attrs import Factory, define

from sim.channel.services import SERVICES
from sim.core.errors import UsageError
from sim.scenario.arguments import Arguments
from sim.scenario.directive_nodes import FeatureChange
from sim.scenario.kinds import channel_of_word
from sim.scenario.source import Span, all_of, near
from sim.scenario.switches import read_after, read_switch
from sim.scenario.syntax import FeatureSwitch, Latency, RuleSwitch, Settings, TokenGrant
from sim.scenario.teaching import Teaching
from sim.scenario.values import read_range
from sim.world.fault import Budget
from sim.world.helm import LATE, UNTIL, Step

SETTING_USAGES = {
    "host": "@host ID KIND",
    "puppet": "@puppet ID [handshake] [pong]",
    "protocol": "@protocol hook",
    "seed": "@seed 7",
    "latency": "@latency D->S 20ms..80ms",
    "rule": "@rule -name",
    "feature": "@feature S -name",
    "token": "@token A SCOPE … [at NODE …]",
    "violates": "@violates NAME",
    "strict": "@strict",
    "late": '@late "finish IM.edit S" until "close D.slack#1 S>D", @late "…" by 250ms',
    "strike": '@strike "cut D.slack#1 rst" after "deliver D.slack#1 D>S turn.end"',
    "faults": "@faults cut:1,duplicate:1,crash:1,channel:2",
    "omit": "@omit 14,16-20",
    "live": "@live",
}
# These say how the run starts; after the first event they would say nothing true.
HEAD_ONLY = ("seed", "latency", "rule", "token", "late", "strike", "faults", "omit")


@define
class Head:
    """What the settings of a file add up to."""

    seed: int | None = None
    latencies: list[Latency] = Factory(list)
    rules: list[RuleSwitch] = Factory(list)
    features: list[FeatureSwitch] = Factory(list)
    tokens: list[TokenGrant] = Factory(list)
    violates: list[str] = Factory(list)
    strict: bool = False
    live: bool = False
    steps: list[Step] = Factory(list)
    faults: Budget | None = None
    omitted: dict[int, None] = Factory(dict)
    is_over: bool = False
    teaching: Teaching = Factory(Teaching)

    def settings(self) -> Settings:
        """The frozen form."""
        return Settings(
            self.seed,
            tuple(self.latencies),
            tuple(self.rules),
            tuple(self.features),
            tuple(self.steps),
            self.faults or Budget(),
            frozenset(self.omitted),
            tuple(self.tokens),
        )


def read_setting(args: Arguments, head: Head) -> FeatureChange | None:
    """Take a setting into the head; ``@feature`` after it is a statement of its own."""
    word = args.word.text
    if word in ("host", "puppet", "protocol"):
        return None  # obeyed by the first pass over the file
    _check_place(args.word, head)
    statement = None
    match word:
        case "seed":
            _once(args, head.seed is None)
            head.seed = args.number()
        case "latency":
            head.latencies.append(_latency(args))
        case "rule":
            head.rules.append(_rule(args, head))
        case "feature":
            statement = _feature(args, head)
        case "token":
            head.tokens.append(_token(args, head))
        case "violates":
            head.violates.append(_violated(args, head))
        case "late":
            head.steps.append(_late(args))
        case "strike":
            fault = args.string()
            head.steps.append(Step(read_after(args, "after"), fault))
        case "faults":
            _once(args, head.faults is None)
            head.faults = _budget(args.take("a budget", ("cut:1",)))
        case "omit":
            head.omitted |= dict.fromkeys(_lines(args.take("lines", ("14,16-20",))))
        case "strict":
            _once(args, not head.strict)
            head.strict = True
        case _:
            _once(args, not head.live)
            head.live = True
    args.done()
    return statement


def _check_place(word: Span, head: Head) -> None:
    if word.text in HEAD_ONLY and head.is_over:
        told = f"@{word.text} belongs in the head, before the first arrow or action"
        raise word.fail(told, at=-1)


def _once(args: Arguments, is_first: bool) -> None:
    if not is_first:
        raise args.word.fail(f"@{args.word.text} stands twice in this file", at=-1)


def _late(args: Arguments) -> Step:
    at = args.string()
    if args.skip("by"):
        return Step(at, f"{LATE}{args.duration()}us")
    return Step(at, UNTIL + read_after(args, "until", "by"))


def _budget(at: Span) -> Budget:
    try:
        return Budget.parse(at.text)
    except UsageError as error:
        raise at.fail(str(error)) from None


def _lines(at: Span) -> list[int]:
    """``14,16-20``: line numbers of this file."""
    found: list[int] = []
    for part in at.text.split(","):
        first, mark, last = part.partition("-")
        ends = (first, last if mark else first)
        if not all(end.isascii() and end.isdigit() and len(end) < 7 for end in ends):
            raise at.fail(f"{part[:40]!r} is no line and no range of lines", ("14", "16-20"))
        found += range(int(ends[0]), int(ends[1]) + 1)
    return found


def _latency(args: Arguments) -> Latency:
    source, target = args.lane()
    low, high = read_range(args.take("a duration", ("20ms..80ms",)))
    ends = _end_of_link(args, source), _end_of_link(args, target)
    return Latency(args.word.line, args.word.column - 1, *ends, low, high)


def _end_of_link(args: Arguments, at: Span) -> str:
    """A lifeline, ``*``, or a channel that is not drawn (it exists all the same)."""
    if at.text == "*" or at.text in args.scope.people:
        return at.text
    channel = channel_of_word(at.text)
    if channel is not None:
        return channel
    known = (*args.scope.people, "*", *SERVICES)
    raise at.fail(f"no lifeline {at.text[:40]!r} in this diagram", near(at.text, known))


def _rule(args: Arguments, head: Head) -> RuleSwitch:
    rule, on = read_switch(args, "rule", args.scope.vocabulary.rules)
    if any(one.rule == rule for one in head.rules):
        raise args.word.fail(f"the rule {rule} is switched twice", at=-1)
    return RuleSwitch(args.word.line, args.word.column - 1, rule, on)


def _feature(args: Arguments, head: Head) -> FeatureChange | None:
    host = args.host()
    feature, on = read_switch(args, "feature", args.scope.vocabulary.features)
    line, column = args.word.line, args.word.column - 1
    if head.is_over:
        return FeatureChange(line, column, host, feature, on)
    if any((one.host, one.feature) == (host, feature) for one in head.features):
        raise args.word.fail(f"{feature} of {host} is switched twice", at=-1)
    head.features.append(FeatureSwitch(line, column, host, feature, on))
    return None


def _token(args: Arguments, head: Head) -> TokenGrant:
    host = _of_kind(args, args.take("a controller", ("A",)), "controller")
    _once(args, all(one.host != host for one in head.tokens))
    scopes: list[str] = []
    while not scopes or (args.rest and args.peek() != "at"):
        scopes.append(args.take("a scope", ("*", "command.*", "command.list")).text)
    nodes: list[str] | None = None
    if args.skip("at"):
        nodes = [_of_kind(args, args.take("a node", ("N",)), "node")]
        nodes += [_of_kind(args, args.take("a node"), "node") for _ in range(len(args.rest))]
    line, column = args.word.line, args.word.column - 1
    return TokenGrant(line, column, host, tuple(scopes), None if nodes is None else tuple(nodes))


def _of_kind(args: Arguments, at: Span, kind: str) -> str:
    one = args.find(at)
    if one.kind != kind:
        known = tuple(one.id for one in args.scope.people.values() if one.kind == kind)
        raise at.fail(f"{one.id} is a {one.kind}; name a {kind}", known)
    return one.id


def _violated(args: Arguments, head: Head) -> str:
    at = args.take("an invariant", args.scope.vocabulary.invariants or ("NAME",))
    known = args.scope.vocabulary.invariants
    if known is not None and at.text not in known:
        told = all_of(at.text, known, "hooktwin rules", 40)
        raise at.fail(f"unknown invariant {at.text[:60]!r}{told}", near(at.text, known, limit=40))
    if at.text in head.violates:
        raise at.fail(f"{at.text} is named twice")
    return at.text
