"""One socket per lane: dial, hello, welcome, heartbeat, and again (sections 1 and 2)."""

from __future__ import annotations

from sim.core.actor import CloseReason
from sim.core.op import (
    Close,
    Connection,
    Dial,
    Note,
    Save,
    Spawn,
    StartTimer,
    StopTimer,
    UpgradeRefused,
)
from sim.protocols.hook import Hello, Ping, Pong, Welcome
from sim.protocols.hook.desktop import (
    behavior,
    continuation,
    lifecycle,
    outbox,
    provider_binding,
    unanswered,
)
from sim.protocols.hook.desktop.desk import Desk
from sim.protocols.hook.desktop.records import Lane
from sim.protocols.hook.desktop.settings import LANE_NEEDS
from sim.protocols.hook.machine_desktop import DIALLING, OFFLINE
from sim.wire.absent import ABSENT

STANDBY_CODE = 4000
STANDBY_REASON = "device already connected"
BROKEN = 1006
UNAUTHORIZED = 401


async def dial_all(desk: Desk) -> None:
    """Connect every lane; each has its own socket and goes its own way."""
    for lane in desk.lanes.values():
        await desk.perform(Spawn(f"dial {lane.name}", dial(desk, lane)))


async def dial(desk: Desk, lane: Lane) -> None:
    """One attempt to connect, unless the lane is already at it; two if its token is too old."""
    while not lane.is_off and lane.can("dial"):
        if not desk.account:
            await retry_later(desk, lane)  # nobody is signed in: there is no token to show
            return
        lane.fire("dial")
        # A fresh object for each attempt: it tells this attempt's socket from a stale one.
        lane.dialled_with = info = {"authorization": f"Bearer {desk.account}"}
        answer = await desk.perform(Dial(desk.config.server, lane.name, info))
        is_stale = lane.dialled_with is not info
        if answer is None or isinstance(answer, UpgradeRefused):
            if is_stale:
                return
            lane.fire("refused")
            if await renewed_token(desk, lane, answer):
                continue
            await retry_later(desk, lane)
        elif is_stale:
            await desk.perform(Close(answer, 1000, "stale dial"))
        elif lane.conn is not answer and lane.state == DIALLING:
            await opened(desk, lane, answer)
        return


async def renewed_token(desk: Desk, lane: Lane, answer: UpgradeRefused | None) -> bool:
    """Whether the token was refused and there is a new one: once from welcome to welcome.

    Any other status is a failure like any other; a 503 is no standby.
    """
    if answer is None or answer.status != UNAUTHORIZED:
        return False
    if lane.renewed and desk.rules.renew_once:
        return False
    lane.renewed = True
    await desk.perform(Note("token", {"did": "renew", "lane": lane.name}))
    return True


async def retry_later(desk: Desk, lane: Lane) -> None:
    """Plan the next attempt: growing delays with downward jitter, or the standby's fixed one."""
    settings = desk.settings
    if lane.standby and desk.rules.standby:
        delay = settings.standby_retry_us
        patient = True
    else:
        longest = settings.longest_retry_us
        delay = min(settings.first_retry_us << min(lane.attempt, 30), longest)
        # A server that stays away must not keep a run from settling.
        patient = delay == longest
        if not desk.rules.backoff:
            delay = settings.first_retry_us
        delay = delay * desk.port.draw(settings.jitter_low_percent, 100) // 100
        lane.attempt += 1
    await desk.perform(StartTimer("dial", lane.name, delay, background=patient))


def is_new(lane: Lane, conn: Connection) -> bool:
    """Whether this is the socket that the lane is just dialling."""
    return lane.state == DIALLING and conn.info is lane.dialled_with


async def opened(desk: Desk, lane: Lane, conn: Connection) -> None:
    """The socket is there. hello is written before anything else can be (HK-04)."""
    lane.conn = conn
    lane.fire("open")
    lane.last_frame_us = desk.port.now_us()
    if not desk.rules.hello_first:
        await outbox.flush(desk, lane, welcomed=False)
    await greet(desk, lane)
    await start_heartbeat(desk, lane)


async def greet(desk: Desk, lane: Lane) -> None:
    """Say, or say again, who this is and what it offers; the latest hello wins."""
    if not lane.can("hello"):
        return
    lane.fire("hello")
    config = desk.config
    default = desk.default_workspace
    if default not in desk.workspaces and desk.rules.default_cleared:
        default = None  # its folder was deleted (HK-56)
    is_slack = lane.name == "slack"
    await desk.send(
        lane,
        Hello(
            protocol_version=1,
            device_id=config.device_id,
            device_name=config.device_name or config.device_id,
            workspaces=desk.workspaces,
            agents=config.agents,
            features=desk.features.get(lane.name, ()),
            lifecycle_announcement=desk.lifecycle if is_slack else ABSENT,
            default_workspace=ABSENT if is_slack or default is None else default,
        ),
    )


async def welcomed(desk: Desk, lane: Lane, welcome: Welcome) -> None:
    """The handshake is complete; a repeated welcome is processed just the same."""
    lane.attempt = 0
    lane.standby = lane.renewed = False
    lane.features = features = tuple(welcome.features)
    needs = LANE_NEEDS.get(lane.name)
    if needs is not None and not needs.issubset(features):
        lane.fire("poor welcome")
        return
    lane.fire("welcome")
    if lane.name != "slack":
        provider_binding.begins_anew(desk, lane)
    await outbox.flush(desk, lane)
    if lane.name == "slack":
        if not await lifecycle.welcomed(desk, lane):
            await redial(desk, lane)
        return
    if desk.settings.double_flush:
        await outbox.flush(desk, lane)
    await behavior.fetch(desk, lane)


async def closed(desk: Desk, lane: Lane, conn: Connection, close: CloseReason) -> None:
    """The peer or the network ended a socket; sockets of the past do not matter."""
    if is_new(lane, conn):
        lane.fire("open")
        lane.conn = conn
    if lane.conn is not conn:
        return
    lane.standby = close.code == STANDBY_CODE and close.reason == STANDBY_REASON
    await lost(desk, lane)


async def lost(desk: Desk, lane: Lane) -> None:
    """The lane has no socket any more: forget its welcome, drop its continuations, retry."""
    lane.conn = None
    lane.features = ()
    lane.fire("lost")
    continuation.connection_lost(desk, lane)
    await unanswered.connection_lost(desk, lane)
    if lane.conn is None:
        await desk.perform(StopTimer("heartbeat", lane.name))
    if lane.state == OFFLINE:
        await retry_later(desk, lane)


async def start_heartbeat(desk: Desk, lane: Lane) -> None:
    """(Re)start the 25 s tick."""
    after = desk.settings.heartbeat_us
    await desk.perform(StartTimer("heartbeat", lane.name, after, background=True))


async def heartbeat(desk: Desk, lane: Lane) -> None:
    """The tick: give up a socket that has been silent for too long, else ping (RC-77)."""
    conn = lane.conn
    if conn is None:
        return
    if desk.port.now_us() - lane.last_frame_us > desk.settings.silence_limit_us:
        await desk.perform(Close(conn, BROKEN, "no frames for too long"))
        if lane.conn is conn:
            await lost(desk, lane)
        return
    await start_heartbeat(desk, lane)
    await desk.send(lane, Ping())


async def pong(desk: Desk, lane: Lane) -> None:
    """Answer a ping at once, in every state (HK-51)."""
    if desk.rules.pong:
        await desk.send(lane, Pong())


async def change_workspaces(desk: Desk, aliases: tuple[str, ...], default: str | None) -> None:
    """The folder list changed: keep it, and tell every lane that has said hello (HK-49)."""
    desk.workspaces = desk.with_chat(aliases)
    desk.default_workspace = default
    await desk.perform(Save("workspaces", desk.workspaces))
    await desk.perform(Save("default workspace", desk.default_workspace))
    if desk.rules.hello_again:
        for lane in desk.lanes.values():
            await greet(desk, lane)


async def change_feature(desk: Desk, feature: str, is_on: bool) -> None:
    """Another version of the desktop: what it declares from its next hello on."""
    added = (feature,) if is_on else ()
    desk.features = {
        lane: (*(f for f in desk.features.get(lane, ()) if f != feature), *added)
        for lane in desk.lanes
    }
    await desk.perform(Save("features", desk.features))


async def rebuild(desk: Desk) -> None:
    """Dispose of every socket and dial anew, with the present account's token.

    Nothing that an old socket still brings is the new account's business.
    """
    logins = desk.logins
    for lane in desk.lanes.values():
        lane.ties = None
        await dispose(desk, lane, "account changed")
    if desk.logins == logins:
        desk.is_closing = False
        await dial_all(desk)


async def dispose(desk: Desk, lane: Lane, why: str) -> None:
    """Give up a lane's socket, its dial and its plans, at once."""
    conn, lane.conn = lane.conn, None
    lane.features = ()
    lane.dialled_with = None
    lane.attempt = 0
    lane.standby = lane.renewed = False
    lane.fire("dispose")
    continuation.connection_lost(desk, lane)
    await unanswered.connection_lost(desk, lane)
    await desk.perform(StopTimer("dial", lane.name))
    if lane.conn is None:
        await desk.perform(StopTimer("heartbeat", lane.name))
    if conn is not None:
        await desk.perform(Close(conn, 1000, why))


async def redial(desk: Desk, lane: Lane) -> None:
    """Replace a socket on which nothing can be written."""
    await dispose(desk, lane, "rebuilt")
    await dial(desk, lane)


async def switch(desk: Desk, lane: Lane, *, is_on: bool) -> None:
    """Connect a channel, or take its connection down for good."""
    lane.is_off = not is_on
    off = tuple(one.name for one in desk.lanes.values() if one.is_off)
    await desk.perform(Save("off", off))
    if lane.is_off:  # the person may have changed their mind meanwhile
        await dispose(desk, lane, "switched off")
    else:
        await dial(desk, lane)
