/**
 * Gives the tools of a session to an OpenClaw gateway. A gateway on this machine gets an MCP server for the session,
 * protected by a secret and enabled for this session only. A remote one gets them as the tools of a node, which every session
 * sees and only this one can call. In both cases the calls run here.
 */
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import * as Fiber from "effect/Fiber"
import * as Layer from "effect/Layer"
import * as RcRef from "effect/RcRef"
import * as Schema from "effect/Schema"
import * as Scope from "effect/Scope"
import * as Stream from "effect/Stream"
import { CALL_MAX_MS } from "../../schemas/defaults/Connections.ts"
import { INJECTED_GRACE_MS, INJECTED_TAKEN_BACK_MS } from "../../schemas/defaults/Injection.ts"
import type { GatewayError } from "../../schemas/agent/GatewayError.ts"
import type { JsonObject } from "../../schemas/data/Json.ts"
import { Members, reader } from "../../schemas/data/Lenient.ts"
import { GatewayLink, type Link } from "../../services/agent/GatewayLink.ts"
import { SessionToolInjector } from "../../services/agent/SessionToolInjector.ts"
import { McpListener } from "../../services/listener/McpListener.ts"
import { following } from "../../system/rounds.ts"
import { openEndpoint, type Served } from "./SessionToolInjector/endpoint.ts"
import { makeEntries } from "./SessionToolInjector/entries.ts"
import { entryName, newInstance, ownerOf } from "./SessionToolInjector/names.ts"
import { openNode } from "./SessionToolInjector/node.ts"

// ---- a gateway on this machine ---------------------------------------------------------------------------------------

/** Disabled by default, so that only the session for which it is enabled has it. */
const entryOf = ({ secret, url }: Served): JsonObject => ({
  url,
  transport: "streamable-http",
  headers: { Authorization: `Bearer ${secret}` },
  enabled: false,
  requestTimeoutMs: CALL_MAX_MS + INJECTED_GRACE_MS
})

const readSession = reader(Schema.Struct({ session: Schema.Struct({ toolOverrides: Members }) }))
const readMembers = reader(Members)

/** Enables an entry for a session, next to its other tool settings; our earlier entry is dropped. */
const switchOn = Effect.fnUntraced(function* (operator: Link, key: string, name: string) {
  // Some gateways report an unknown session as an error. If it is unknown for another reason, it must not be overwritten.
  const described = yield* operator.request("sessions.describe", { key }).pipe(
    Effect.catchIf(
      ({ code }) => code === "INVALID_REQUEST",
      () => Effect.undefined
    )
  )
  const overrides = readSession(described)?.session.toolOverrides ?? {}
  const servers = readMembers(overrides["mcpServers"]) ?? {}
  const others = Object.entries(servers).filter(([other]) => ownerOf(other) === undefined)
  yield* operator.request("sessions.patch", {
    key,
    toolOverrides: { ...overrides, mcpServers: { ...Object.fromEntries(others), [name]: true } }
  })
})

const makeEndpoint = Effect.gen(function* () {
  const { operator } = yield* GatewayLink
  const listener = yield* McpListener
  const scope = yield* Effect.scope
  const self = newInstance()
  const entries = yield* makeEntries(operator, self)
  const switchedOn = new Map<string, string>()
  let number = 0

  const told = (what: string) => (work: Effect.Effect<void, GatewayError>) =>
    work.pipe(Effect.catch(({ message }) => Effect.logWarning(`${what}: ${message}`)))

  const tidy = entries.lookForLeftovers.pipe(
    told("what an earlier process left in the configuration of the gateway is still there")
  )

  /** A gateway that was disconnected may have got another configuration. */
  const putBack = Effect.gen(function* () {
    for (const name of yield* entries.settle) {
      const key = switchedOn.get(name)
      if (key !== undefined) yield* switchOn(operator, key, name)
    }
  }).pipe(told("tools of sessions may be missing at the gateway"))

  // At the first connection it is tidied up, because a person may never talk to a session with tools. Nobody waits for it.
  yield* following(
    "the tidying of the configuration of the gateway",
    Stream.zipWithIndex(operator.connected),
    ([, index]) => (index === 0 ? tidy : number === 0 ? Effect.void : putBack)
  ).pipe(Effect.forkScoped)

  const settled = entries.settle.pipe(
    Effect.asVoid,
    told("the tools of a session that has ended are still in the configuration of the gateway")
  )

  /** Continues when nobody waits any more: a process that has a second to end should not lose it. */
  const takeBack = Effect.gen(function* () {
    const taking = yield* Effect.forkIn(settled, scope)
    yield* Effect.timeoutOption(Fiber.await(taking), INJECTED_TAKEN_BACK_MS)
  })

  // A session that ends after this had its tools until now.
  yield* Effect.addFinalizer(() => {
    if (switchedOn.size === 0) return Effect.void
    for (const name of switchedOn.keys()) entries.forget(name)
    return Effect.timeoutOption(settled, INJECTED_TAKEN_BACK_MS)
  })

  return SessionToolInjector.of({
    inject: Effect.fn("SessionToolInjector.inject")(function* (gatewayKey, tools) {
      // Again, for processes that have ended since, or could not be checked at the start.
      if (number === 0) yield* Effect.forkIn(tidy, scope)
      const name = entryName(self, ++number)
      const door = yield* Scope.fork(scope)
      yield* Effect.addFinalizer((exit) => {
        entries.forget(name)
        switchedOn.delete(name)
        // From the first step on, nobody with the secret gets access.
        return Effect.all([Scope.close(door, exit), takeBack], { concurrency: "unbounded", discard: true })
      })
      const served = yield* Scope.provide(openEndpoint(listener, name, self.id, tools), door)
      entries.want(name, entryOf(served))
      switchedOn.set(name, gatewayKey)
      yield* entries.settle
      yield* switchOn(operator, gatewayKey, name)
    })
  })
})

export const layerEndpoint: Layer.Layer<SessionToolInjector, never, GatewayLink | McpListener> = Layer.effect(
  SessionToolInjector,
  makeEndpoint
)

// ---- a remote gateway ------------------------------------------------------------------------------------------------

const makeNode = Effect.gen(function* () {
  const link = yield* GatewayLink
  // Opened for the first session and kept for the others. If that fails, the next session tries again.
  const node = yield* RcRef.make({ acquire: openNode(link), idleTimeToLive: Duration.infinity })
  return SessionToolInjector.of({
    inject: Effect.fn("SessionToolInjector.inject")(function* (gatewayKey, tools) {
      const { offer } = yield* RcRef.get(node)
      yield* offer(gatewayKey, tools)
    })
  })
})

export const layerNode: Layer.Layer<SessionToolInjector, never, GatewayLink> = Layer.effect(
  SessionToolInjector,
  makeNode
)

/** Depends on where the gateway runs. */
export const layer: Layer.Layer<SessionToolInjector, never, GatewayLink | McpListener> = Layer.unwrap(
  Effect.map(GatewayLink, ({ local }) => (local ? layerEndpoint : layerNode))
)
