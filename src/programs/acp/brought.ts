/** The servers that a client brought for a session: started in its Scope, not shared, and what the person is told about them. */
import * as Effect from "effect/Effect"
import type * as Scope from "effect/Scope"
import * as Stream from "effect/Stream"
import { basename } from "node:path"
import { pathToFileURL } from "node:url"
import type { SessionHost } from "../../layers/content/HostFeatures.ts"
import { ACP_CHANGES_TOLD_MAX, ACP_SERVERS_WAIT_MS } from "../../schemas/defaults/Acp.ts"
import { ERROR_TEXT_MAX_CHARS } from "../../schemas/defaults/Results.ts"
import { QUOTED_NAME_MAX_CHARS } from "../../schemas/defaults/Texts.ts"
import { loginCommand } from "../../schemas/connection/HttpError.ts"
import type { ServerConfig } from "../../schemas/connection/ServerConfig.ts"
import type { SessionRuntime } from "../../services/call/AgentRuntimes.ts"
import { elicitFrom } from "./elicitation.ts"
import { failed, type Refused } from "./failure.ts"
import type { Services } from "./services.ts"

export interface Brought {
  readonly sessionId: string
  readonly agent: string
  readonly cwd: string
  readonly servers: ReadonlyArray<ServerConfig>
  /** The client wants the tools that servers add later. */
  readonly dynamicTools: boolean
}

export type Tell = (text: string, severity?: "info" | "warning") => Effect.Effect<void>

const isDynamic = ({ dynamicTools }: Brought, { acp }: Services) => dynamicTools || acp.dynamicTools

/** What the session's servers may ask of the editor and its person. */
const hostOf = ({ cwd, sessionId }: Brought, { acp, client }: Services): SessionHost => ({
  ...(acp.roots ? { roots: [{ uri: pathToFileURL(cwd).href, name: basename(cwd) }] } : {}),
  elicit: elicitFrom(sessionId, client.askElicitation),
  modes: client.elicits
})

/** Starts them in the caller's Scope; `asksAlways` is read at each call. `undefined` when the client brought none. */
export const startServers = Effect.fnUntraced(function* (
  brought: Brought,
  asksAlways: () => boolean,
  services: Services
): Effect.fn.Return<SessionRuntime | undefined, Refused, Scope.Scope> {
  const { agent, servers, sessionId } = brought
  const { acp, hosts, runtimes, sessionTools } = services
  if (servers.length === 0) return undefined
  // Registered before the servers connect, because they may ask at once.
  yield* Effect.acquireRelease(
    Effect.sync(() => hosts.set(sessionId, hostOf(brought, services))),
    () => Effect.sync(() => hosts.delete(sessionId))
  )
  const runtime = yield* runtimes
    .forSession({ agent, session: sessionId, servers, maxTools: acp.maxTools, dynamic: isDynamic(brought, services) })
    .pipe(Effect.mapError(({ message }) => failed(message)))
  yield* Effect.addFinalizer(() => sessionTools.clear(sessionId))
  // Every caller, also a remote agent, follows the settings of the session.
  yield* sessionTools.set(sessionId, {
    ...runtime,
    call: (name, args, options) => runtime.call(name, args, asksAlways() ? { ...options, askAlways: true } : options)
  })
  return runtime
})

// ---- what the person is told ---------------------------------------------------------------------------------------

const count = (tools: ReadonlyArray<unknown>) => (tools.length === 1 ? "1 tool" : `${tools.length} tools`)

/** Advice about logins and settings is for configured servers; this one only the editor knows. */
const forEditor = (name: string, why: string): string =>
  why.replace(
    `Run: ${loginCommand(name)}`,
    `Give it a token in the editor's settings (an "Authorization" header), or configure it in mcp-live and run ${loginCommand(name)} then`
  )

/** Short enough for a title. */
const namedIn = (sanitizer: Services["sanitizer"], name: string): string =>
  JSON.stringify(sanitizer.label(name, QUOTED_NAME_MAX_CHARS))

const namesOf = (runtime: SessionRuntime) => Effect.map(runtime.tools, (tools) => tools.map(({ name }) => name))

const tellOfLimit = Effect.fnUntraced(function* (
  { leftOut, tools }: SessionRuntime,
  tell: Tell,
  { acp, sanitizer }: Services
) {
  const out = yield* leftOut
  if (out.length === 0) return
  const kept = Map.groupBy(yield* tools, ({ server }) => server)
  const each = [...Map.groupBy(out, ({ server }) => server)].map(
    ([server, { length }]) =>
      `${namedIn(sanitizer, server)}: ${length} of ${length + (kept.get(server)?.length ?? 0)} left out.`
  )
  yield* tell([`${count(out)} left out: a session may have ${acp.maxTools} (acp.maxTools).`, ...each].join("\n"))
})

/** Names the servers that are still starting; nothing when there are none. */
export const waitedFor = Effect.fnUntraced(function* (runtime: SessionRuntime, { sanitizer }: Services) {
  const names = Object.entries(yield* runtime.status).flatMap(([name, { state }]) =>
    state === "Connecting" ? [namedIn(sanitizer, name)] : []
  )
  if (names.length === 0) return undefined
  const most = ACP_SERVERS_WAIT_MS / 1_000
  return names.length === 1
    ? `Waiting for the MCP server ${names[0]} to start, ${most} s at most.`
    : `Waiting for ${names.length} MCP servers to start, ${most} s at most.\n${sanitizer.label(names.join(", "), ERROR_TEXT_MAX_CHARS)}`
})

/** Returns when the outcome of every server's start is known, or when they have taken too long. */
export const settle = Effect.fnUntraced(function* (runtime: SessionRuntime, tell: Tell, services: Services) {
  const clean = (text: string) => services.sanitizer.label(text, ERROR_TEXT_MAX_CHARS)
  yield* Effect.timeoutOption(runtime.ready, ACP_SERVERS_WAIT_MS)
  yield* runtime.tools
  let denied = 0
  for (const [name, status] of Object.entries(yield* runtime.status)) {
    denied += status.denied ?? 0
    if (status.state === "Ready") continue
    const why = forEditor(name, status.lastError ?? "it has not answered yet")
    yield* tell(
      `MCP server ${namedIn(services.sanitizer, name)} did not start\n${clean(`Its tools are missing: ${why}`)}`
    )
  }
  yield* tellOfLimit(runtime, tell, services)
  if (denied > 0) {
    yield* tell(
      `Rules of the configuration hide ${denied === 1 ? "1 tool" : `${denied} tools`} of this session's servers (gateway.tools, agents.*.tools).`,
      "info"
    )
  }
})

/** Reports each change of the tools, up to a limit. */
export const follow = Effect.fnUntraced(function* (runtime: SessionRuntime, tell: Tell, services: Services) {
  const clean = (names: ReadonlyArray<string>) => services.sanitizer.label(names.join(", "), ERROR_TEXT_MAX_CHARS)
  let known = new Set(yield* namesOf(runtime))
  const look = Effect.gen(function* () {
    const names = yield* namesOf(runtime)
    const added = names.filter((name) => !known.has(name))
    const gone = [...known].filter((name) => !names.includes(name))
    known = new Set(names)
    if (added.length === 0 && gone.length === 0) return false
    const what = [
      ...(added.length === 0 ? [] : [`${count(added)} added: ${clean(added)}`]),
      ...(gone.length === 0 ? [] : [`${count(gone)} gone: ${clean(gone)}`])
    ]
    yield* tell(`The tools of this session changed.\n${what.join("\n")}`, "info")
    return true
  })
  yield* runtime.changes.pipe(
    Stream.mapEffect(() => look),
    Stream.filter((changed) => changed),
    Stream.take(ACP_CHANGES_TOLD_MAX),
    Stream.runDrain
  )
  yield* tell("The tools of this session change too often; further changes are not reported.", "info")
})

/** For a session with a fixed list of tools: logs what its servers have changed since. */
export const logChanges = Effect.fnUntraced(function* (runtime: SessionRuntime, { sanitizer }: Services) {
  const clean = (names: ReadonlyArray<string>) => sanitizer.label(names.join(", "), ERROR_TEXT_MAX_CHARS)
  const first = yield* namesOf(runtime)
  let said = ""
  const look = Effect.gen(function* () {
    const now = new Set(yield* namesOf(runtime))
    const late = (yield* runtime.late).map(({ name }) => name)
    const gone = first.filter((name) => !now.has(name))
    const lines = [
      ...(late.length === 0 ? [] : [`${count(late)} came after the session began and not into it: ${clean(late)}`]),
      ...(gone.length === 0 ? [] : [`${count(gone)} of the session gone: ${clean(gone)}`])
    ]
    const fresh = lines.join("; ")
    if (fresh === said) return
    said = fresh
    if (fresh !== "") yield* Effect.logInfo(fresh)
  })
  yield* Stream.runForEach(runtime.changes, () => look)
})

export const followed = (brought: Brought, services: Services): boolean =>
  brought.servers.length > 0 && isDynamic(brought, services)
