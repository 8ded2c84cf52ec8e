/**
 * The sessions of the fleet's clients. Where one lives is known by its name, as long as the node that gave the name lives, and from the
 * database otherwise. The database decides who takes over a session whose node is dead.
 */
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import { LISTENER_SESSION_IDLE_MS, FLEET_SESSIONS_MAX } from "../../schemas/defaults/Listener.ts"
import {
  DIRECTORY_DEATH_LOOKS,
  DIRECTORY_DOUBT_LOOK_MS,
  DIRECTORY_DOUBT_MS,
  DIRECTORY_KNOWN_MAX,
  DIRECTORY_SWEEP_MS,
  DIRECTORY_TRIES,
  DIRECTORY_WAITING_MAX
} from "../../schemas/defaults/FleetSessions.ts"
import { isSameNode, type NodeId } from "../../schemas/fleet/Node.ts"
import { CallsOfDead } from "../../services/fleet/CallsOfDead.ts"
import { Database } from "../../services/fleet/Database.ts"
import { Fleet } from "../../services/fleet/Fleet.ts"
import { Peers } from "../../services/fleet/Peers.ts"
import { SessionDirectory, type Directory, type SessionPlace } from "../../services/listener/SessionDirectory.ts"
import { again } from "../../system/rounds.ts"
import { makeFates } from "./SessionDirectory/fates.ts"
import { makeHandleRows } from "./SessionDirectory/handleRows.ts"
import { makeNames } from "./SessionDirectory/names.ts"
import { makeSessionRows, type SessionState } from "./SessionDirectory/sessionRows.ts"
import { makeTaskRows, type TaskState } from "./SessionDirectory/taskRows.ts"
import { makeWriter } from "./SessionDirectory/writer.ts"

export interface Options {
  readonly sessionsMax?: number | undefined
}

const NOWHERE: SessionPlace = { at: "nowhere" }
const FREE: SessionPlace = { at: "free" }

export const make = Effect.fnUntraced(function* ({ sessionsMax = FLEET_SESSIONS_MAX }: Options = {}) {
  const fleet = yield* Fleet
  const peers = yield* Peers
  const database = yield* Database
  const names = makeNames(fleet)
  const rows = makeSessionRows(database, names.isOwn)
  const taskRows = makeTaskRows(database, names.isOwn)
  const handles = makeHandleRows(database)
  const calls = yield* CallsOfDead
  const fateOf = makeFates(calls)
  const sessions = yield* makeWriter<SessionState>(
    database,
    (states) => rows.write(fleet.self, states),
    DIRECTORY_WAITING_MAX
  )
  const tasks = yield* makeWriter<TaskState>(
    database,
    (states) => taskRows.write(fleet.self, states),
    DIRECTORY_WAITING_MAX
  )
  /** Sessions that moved: where they are. The longest known first. */
  const known = new Map<string, NodeId>()
  const handsOver = new Set<Effect.Effect<void>>()
  let isDraining = false

  const learn = (session: string, node: NodeId) => {
    known.delete(session)
    known.set(session, node)
    const [oldest] = known.size > DIRECTORY_KNOWN_MAX ? known.keys() : []
    if (oldest !== undefined) known.delete(oldest)
  }

  const guess = (session: string): NodeId | undefined => {
    const node = known.get(session)
    if (node === undefined) return names.homeOf(session)
    if (names.lives(node)) return node
    known.delete(session)
    return undefined
  }

  const find = Effect.fnUntraced(function* (session: string, take: boolean) {
    if (!names.isName(session) || sessions.pending(session) === "ended") return NOWHERE
    let deaths = 0
    for (let attempt = 0; attempt < DIRECTORY_TRIES; attempt++) {
      const row = yield* rows.read(session)
      if (row === undefined) return NOWHERE
      const { node } = row
      if (node !== undefined && isSameNode(node, fleet.self)) {
        if (take) return { at: "here", session: row.record } satisfies SessionPlace
        yield* rows.free(fleet.self, session)
        return FREE
      }
      if (!row.isFree && node !== undefined) {
        if (names.lives(node) || deaths >= DIRECTORY_DEATH_LOOKS) {
          learn(session, node)
          return { at: "node", node } satisfies SessionPlace
        }
        // It is dead, and the database is about to be told; or it has just come, and this node is.
        deaths++
        attempt--
        yield* Effect.sleep(DIRECTORY_DOUBT_LOOK_MS)
        continue
      }
      if (!take) return FREE
      const taken = yield* rows.take(fleet.self, session, row.epoch)
      if (taken !== undefined) {
        learn(session, fleet.self)
        return { at: "here", session: taken } satisfies SessionPlace
      }
    }
    return yield* database.away("the session is being taken over by other nodes")
  })

  const isGone = (node: NodeId): Effect.Effect<boolean> => {
    const answers = peers.connect(node).pipe(
      Effect.map((socket) => {
        socket.destroy()
        return true
      }),
      Effect.orElseSucceed(() => false)
    )
    const look: Effect.Effect<boolean> = Effect.suspend(() => {
      if (!names.lives(node)) return Effect.succeed(true)
      return Effect.flatMap(answers, (lives) =>
        lives ? Effect.succeed(false) : Effect.andThen(Effect.sleep(DIRECTORY_DOUBT_LOOK_MS), look)
      )
    })
    return Effect.timeoutOrElse(look, { duration: DIRECTORY_DOUBT_MS, orElse: () => Effect.succeed(false) })
  }

  /** However often it is asked for. */
  const handOver = yield* Effect.cached(
    Effect.suspend(() => Effect.forEach([...handsOver], (one) => one, { concurrency: "unbounded", discard: true }))
  )
  const drained = Effect.andThen(fleet.draining, handOver)
  yield* Effect.forkScoped(drained)

  const old = Effect.andThen(rows.sweep(LISTENER_SESSION_IDLE_MS), handles.sweep())
  yield* Effect.forkScoped(again("fleet: the removal of old sessions", DIRECTORY_SWEEP_MS, Effect.ignore(old)))

  return {
    get self() {
      return fleet.self
    },
    sessionsMax,
    nameOf: names.nameOf,
    isName: names.isName,
    homeOf: names.homeOf,
    guess,
    find,
    keep: (session) =>
      Effect.suspend(() => {
        sessions.write(session.id, session)
        return Effect.asVoid(sessions.written)
      }),
    ended: (session) => {
      known.delete(session)
      sessions.write(session, "ended")
    },
    handOver: (session) =>
      Effect.flatMap(sessions.written, (isWritten) =>
        isWritten
          ? Effect.orElseSucceed(
              Effect.map(rows.free(fleet.self, session), () => true),
              () => false
            )
          : Effect.succeed(false)
      ),
    onReplaced: fleet.onReplaced,
    keepTask: (task) => tasks.write(task.id, task),
    tasksKept: Effect.asVoid(tasks.written),
    forgetTask: (task) => tasks.write(task, "forgotten"),
    task: (id) =>
      Effect.suspend(() => {
        const pending = tasks.pending(id)
        if (pending !== undefined) return Effect.succeed(pending === "forgotten" ? undefined : pending)
        return taskRows.read(id)
      }),
    tasksOf: (owner) => Effect.andThen(tasks.written, taskRows.of(owner)),
    fateOf,
    takeRepeat: (origin) => calls.takeRepeat(origin).pipe(Effect.orElseSucceed(() => undefined)),
    hasRepeat: (origin) => calls.hasRepeat(origin).pipe(Effect.orElseSucceed(() => false)),
    giveHandles: handles.give,
    hasHandle: handles.has,
    others: () =>
      fleet
        .nodes()
        .filter(({ name, state }) => state === "alive" && name !== fleet.self.name)
        .toSorted((one, other) => one.load.sessions - other.load.sessions),
    connect: peers.connect,
    deaths: fleet.deaths,
    isGone,
    onHttp: peers.onHttp,
    isCurrent: fleet.isCurrent,
    confirmed: fleet.confirmed,
    reports: (count) => fleet.reports(() => ({ sessions: count() })),
    isDraining: () => isDraining || fleet.isDraining(),
    onDrain: (one) =>
      Effect.acquireRelease(
        Effect.sync(() => void handsOver.add(one)),
        () => Effect.sync(() => void handsOver.delete(one))
      ),
    drained,
    drain: Effect.suspend(() => {
      isDraining = true
      // Without the database the others find out when this node is gone.
      return Effect.andThen(Effect.ignore(fleet.drain(fleet.self.name)), handOver)
    })
  } satisfies Directory
})

export const layer = (options?: Options): Layer.Layer<never, never, CallsOfDead | Database | Fleet | Peers> =>
  Layer.effect(
    SessionDirectory,
    Effect.map(make(options), (current) => ({ current }))
  )
