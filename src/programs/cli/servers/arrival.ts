/**
 * How long a command waits for servers, so that a slow one does not delay the others: at most two seconds after the first
 * server is ready. It then goes on and names the servers that are missing.
 */
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import * as Stream from "effect/Stream"
import * as Flag from "effect/cli/Flag"
import { OTHERS_WAIT_MS } from "../../../schemas/defaults/Connections.ts"
import type { StatusMap } from "../../../schemas/content/Rendering.ts"
import type { ServerStatus } from "../../../schemas/connection/ServerState.ts"
import type { AgentTool } from "../../../schemas/call/Tool.ts"
import { toolNamed } from "../../../schemas/call/ToolSignature.ts"
import type { McpRuntimeShape } from "../../../services/call/McpRuntime.ts"
import { complain } from "../output.ts"
import { connecting, connectingIn, connectingWords, tellingWait } from "./waiting.ts"

type Heard = Pick<McpRuntimeShape, "changes" | "status">
type Listed = Heard & Pick<McpRuntimeShape, "allTools" | "ready" | "tools">

/** The status of the servers, now and after changes; of several changes at once, only the last. */
const states = ({ changes, status }: Heard): Stream.Stream<StatusMap> =>
  Stream.mapEffect(Stream.buffer(changes, { capacity: 1, strategy: "sliding" }), () => status)

const anyReady = (servers: StatusMap): boolean => Object.values(servers).some(({ state }) => state === "Ready")

/** Waits for `all`, or for the limit that starts when the first server is ready. */
export const soonEnough = (runtime: Heard, all: Effect.Effect<void>): Effect.Effect<void> =>
  Effect.raceFirst(
    all,
    states(runtime).pipe(
      Stream.filter(anyReady),
      Stream.runHead,
      // If no change comes, `all` decides.
      Effect.flatMap(Option.match({ onNone: () => Effect.never, onSome: () => Effect.sleep(OTHERS_WAIT_MS) }))
    )
  )

/** Returns when `isKnown`, which is checked after each change, or when `otherwise` returns. */
export const untilKnown = (
  runtime: Heard,
  isKnown: Effect.Effect<boolean>,
  otherwise: Effect.Effect<void>
): Effect.Effect<void> =>
  Effect.raceFirst(
    otherwise,
    Stream.mapEffect(states(runtime), () => isKnown).pipe(
      Stream.filter((known) => known),
      Stream.runHead,
      Effect.flatMap(Option.match({ onNone: () => Effect.never, onSome: () => Effect.void }))
    )
  )

/** Starts lazy servers, as a listing does, and waits for all that are starting. */
const listedAll = (runtime: Listed): Effect.Effect<void> => Effect.andThen(runtime.tools, runtime.ready)

export const waitFlag = Flag.Boolean("wait").pipe(
  Flag.withDescription(
    "Wait for every server, however long it takes; without it, for at most two seconds after the first"
  ),
  Flag.withDefault(false)
)

/** Waits before servers' lists are shown; tells the person which servers it waits for. */
export const listedSoon = (runtime: Listed, wait: boolean): Effect.Effect<void> =>
  tellingWait(wait ? listedAll(runtime) : soonEnough(runtime, listedAll(runtime)), connecting(runtime))

/** The same, for commands that need all servers. */
export const settled = (runtime: Listed): Effect.Effect<void> => listedSoon(runtime, true)

/** Finds the tool that a person means, as soon as its server has listed it. */
export const toolSoon = (runtime: Listed, name: string, wait = false): Effect.Effect<AgentTool | undefined> => {
  const find = Effect.map(runtime.allTools, (all) => toolNamed(all, name))
  const isKnown = Effect.map(find, (tool) => tool !== undefined)
  const known = untilKnown(runtime, isKnown, wait ? listedAll(runtime) : soonEnough(runtime, listedAll(runtime)))
  return Effect.andThen(tellingWait(known, connecting(runtime)), find)
}

/** Whether the outcome of a start is known. It is not while a restart is being decided. */
const hasArrived = ({ retryInMs, state }: ServerStatus): boolean =>
  state !== "Connecting" && (state !== "Backoff" || (retryInMs ?? 0) > 0)

/** Returns when the outcome of this server's start is known, even if others are missing, or it is gone. */
export const serverSoon = (runtime: Listed, server: string): Effect.Effect<void> => {
  const isKnown = Effect.map(runtime.status, (servers) => servers[server] === undefined || hasArrived(servers[server]))
  const known = Effect.andThen(runtime.tools, untilKnown(runtime, isKnown, runtime.ready))
  return tellingWait(known, connecting(runtime))
}

/** Says which servers are missing in the output, and how to include them. */
export const tellMissing = (servers: StatusMap): Effect.Effect<void> => {
  const words = connectingWords(servers)
  return words === ""
    ? Effect.void
    : complain(`still connecting, not waited for: ${words}; use --wait to wait for every server`)
}

/** Reports each server that was missing in `servers`, once, when the outcome of its start is known; ends with the last. */
export const followLate = <R>(
  runtime: Heard,
  servers: StatusMap,
  tell: (name: string, status: ServerStatus) => Effect.Effect<void, never, R>
): Effect.Effect<void, never, R> => {
  const late = new Set(connectingIn(servers))
  if (late.size === 0) return Effect.void
  return states(runtime).pipe(
    Stream.mapEffect((now) => {
      const arrived = Object.entries(now).filter(([name, status]) => late.has(name) && hasArrived(status))
      for (const [name] of arrived) late.delete(name)
      return Effect.forEach(arrived, ([name, status]) => tell(name, status), { discard: true })
    }),
    Stream.takeUntil(() => late.size === 0),
    Stream.runDrain
  )
}
