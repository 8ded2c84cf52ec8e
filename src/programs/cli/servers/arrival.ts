/**
 * How long a command waits for servers: one that is slow holds up nobody. Two seconds after the first server is ready at the
 * latest, a command goes on with those that are there, and says who is missing.
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

/** What the servers are like, now and after changes: of many changes at once the last one is looked at. */
const states = ({ changes, status }: Heard): Stream.Stream<StatusMap> =>
  Stream.mapEffect(Stream.buffer(changes, { capacity: 1, strategy: "sliding" }), () => status)

const anyReady = (servers: StatusMap): boolean => Object.values(servers).some(({ state }) => state === "Ready")

/** `all`, or the wait for it that is left after the first server is ready. */
export const soonEnough = (runtime: Heard, all: Effect.Effect<void>): Effect.Effect<void> =>
  Effect.raceFirst(
    all,
    states(runtime).pipe(
      Stream.filter(anyReady),
      Stream.runHead,
      // Without a change there is nothing to be seen, and `all` decides.
      Effect.flatMap(Option.match({ onNone: () => Effect.never, onSome: () => Effect.sleep(OTHERS_WAIT_MS) }))
    )
  )

/** Returns when `isKnown`, which is asked after each change, and with `otherwise`. */
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

/** Wakes lazy servers, as a listing does, and waits for all that are on their way. */
const listedAll = (runtime: McpRuntimeShape): Effect.Effect<void> => Effect.andThen(runtime.tools, runtime.ready)

export const waitFlag = Flag.Boolean("wait").pipe(
  Flag.withDescription("Wait for every server, however long it takes; without it the others go on after two seconds"),
  Flag.withDefault(false)
)

/** Before a list of what servers offer; the person is told who is waited for. */
export const listedSoon = (runtime: McpRuntimeShape, wait: boolean): Effect.Effect<void> =>
  tellingWait(wait ? listedAll(runtime) : soonEnough(runtime, listedAll(runtime)), connecting(runtime))

/** The same, where all of them are needed. */
export const settled = (runtime: McpRuntimeShape): Effect.Effect<void> => listedSoon(runtime, true)

/** The tool that a person means, as soon as it is there. */
export const toolSoon = (
  runtime: McpRuntimeShape,
  name: string,
  wait = false
): Effect.Effect<AgentTool | undefined> => {
  const find = Effect.map(runtime.allTools, (all) => toolNamed(all, name))
  const isKnown = Effect.map(find, (tool) => tool !== undefined)
  const known = untilKnown(runtime, isKnown, wait ? listedAll(runtime) : soonEnough(runtime, listedAll(runtime)))
  return Effect.andThen(tellingWait(known, connecting(runtime)), find)
}

/** Whether it is known what came of a server; while it is decided whether it is started again, that is not. */
const hasArrived = ({ retryInMs, state }: ServerStatus): boolean =>
  state !== "Connecting" && (state !== "Backoff" || (retryInMs ?? 0) > 0)

/** Returns when it is known what came of this server, whoever else is missing. */
export const serverSoon = (runtime: McpRuntimeShape, server: string): Effect.Effect<void> => {
  const isKnown = Effect.map(runtime.status, (servers) => hasArrived(servers[server]!))
  const known = Effect.andThen(runtime.tools, untilKnown(runtime, isKnown, runtime.ready))
  return tellingWait(known, connecting(runtime))
}

/** Who is missing in what is printed, and how to have it there. */
export const tellMissing = (servers: StatusMap): Effect.Effect<void> => {
  const words = connectingWords(servers)
  return words === ""
    ? Effect.void
    : complain(`still connecting, and not waited for: ${words}; with --wait every server is waited for`)
}

/** Tells of each server that was missing in `servers`, once, when it is known what came of it; ends with the last one. */
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
