/**
 * How the tools of a session reach an OpenClaw gateway. One on this machine gets an MCP server for the session, behind a
 * secret, that is switched on for this session alone; one elsewhere gets them as the tools of a node, which every session sees
 * and only this one can call. In both cases the calls are made here.
 */
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import * as Fiber from "effect/Fiber"
import * as Layer from "effect/Layer"
import * as Schema from "effect/Schema"
import * as Semaphore from "effect/Semaphore"
import * as Scope from "effect/Scope"
import * as Stream from "effect/Stream"
import { CALL_MAX_MS } from "../../schemas/defaults/Connections.ts"
import { INJECTED_GRACE_MS, INJECTED_TAKEN_BACK_MS } from "../../schemas/defaults/Injection.ts"
import type { GatewayError } from "../../schemas/agent/GatewayError.ts"
import type { JsonObject } from "../../schemas/data/Json.ts"
import { Members, reader } from "../../schemas/data/Lenient.ts"
import { GatewayLink, type Link } from "../../services/agent/GatewayLink.ts"
import { SessionToolInjector } from "../../services/agent/SessionToolInjector.ts"
import { openEndpoint, type Served } from "./SessionToolInjector/endpoint.ts"
import { makeEntries } from "./SessionToolInjector/entries.ts"
import { entryName, newInstance, ownerOf } from "./SessionToolInjector/names.ts"
import { openNode } from "./SessionToolInjector/node.ts"

// ---- what is opened for the first session and kept for the others ---------------------------------------------------

/** Lives in the Scope of the layer. What could not be opened is tried again by the next session. */
const openedOnce = Effect.fnUntraced(function* <A, E>(open: Effect.Effect<A, E, Scope.Scope>) {
  const scope = yield* Effect.scope
  const turns = yield* Semaphore.make(1)
  let opened: { readonly value: A } | undefined

  const first = Effect.gen(function* () {
    const own = yield* Scope.fork(scope)
    const value = yield* open.pipe(
      Scope.provide(own),
      Effect.onError((cause) => Scope.close(own, Exit.failCause(cause)))
    )
    opened = { value }
    return value
  })
  const once = Effect.suspend(() => (opened === undefined ? first : Effect.succeed(opened.value)))
  return { get: turns.withPermit(once) }
})

// ---- a gateway on this machine ---------------------------------------------------------------------------------------

/** Disabled for everybody, so that no session but the one that it is switched on for has it. */
const entryOf = ({ secret, url }: Served): JsonObject => ({
  url,
  transport: "streamable-http",
  headers: { Authorization: `Bearer ${secret}` },
  enabled: false,
  requestTimeoutMs: CALL_MAX_MS + INJECTED_GRACE_MS
})

const readSession = reader(Schema.Struct({ session: Schema.Struct({ toolOverrides: Members }) }))
const readMembers = reader(Members)

/** Switches an entry on for a session, beside whatever else was said about its tools; what was ours before is dropped. */
const switchOn = Effect.fnUntraced(function* (operator: Link, key: string, name: string) {
  // One that nobody has heard of yet may be an error to some. What is not known for another reason must not be overwritten.
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
  const scope = yield* Effect.scope
  const self = newInstance()
  const entries = yield* makeEntries(operator, self)
  const switchedOn = new Map<string, string>()
  let number = 0

  /** A gateway that was away may have been given another configuration. */
  const putBack = Effect.gen(function* () {
    for (const name of yield* entries.settle) {
      const key = switchedOn.get(name)
      if (key !== undefined) yield* switchOn(operator, key, name)
    }
  })

  const told = (what: string) => (work: Effect.Effect<void, GatewayError>) =>
    work.pipe(Effect.catch(({ message }) => Effect.logWarning(`${what}: ${message}`)))

  const tidy = entries.lookForLeftovers.pipe(
    told("what an earlier process left in the configuration of the gateway is still there")
  )

  // A person may never say anything to a session with tools, and nobody waits for this.
  yield* operator.connected.pipe(
    Stream.take(1),
    Stream.runForEach(() => tidy),
    Effect.forkScoped
  )

  const endpoint = yield* openedOnce(
    Effect.gen(function* () {
      const opened = yield* openEndpoint(self.id)
      // Once more: who has ended since then, or could not be told of at the start.
      yield* Effect.forkScoped(tidy)
      yield* operator.connected.pipe(
        Stream.runForEach(() => putBack.pipe(told("tools of sessions may be missing at the gateway"))),
        Effect.forkScoped
      )
      return opened
    })
  )

  const settled = entries.settle.pipe(
    Effect.asVoid,
    told("the tools of a session that has ended are still in the configuration of the gateway")
  )

  /** Goes on when nobody waits any more: who has a second to end does not lose it. */
  const takeBack = Effect.gen(function* () {
    const taking = yield* Effect.forkIn(settled, scope)
    yield* Effect.interruptible(Effect.timeoutOption(Fiber.await(taking), INJECTED_TAKEN_BACK_MS))
  })

  // A session that ends after this had its tools until now.
  yield* Effect.addFinalizer(() => {
    if (switchedOn.size === 0) return Effect.void
    for (const name of switchedOn.keys()) entries.forget(name)
    return Effect.interruptible(Effect.timeoutOption(settled, INJECTED_TAKEN_BACK_MS))
  })

  return SessionToolInjector.of({
    inject: Effect.fn("SessionToolInjector.inject")(function* (gatewayKey, tools) {
      const { serve } = yield* endpoint.get
      const name = entryName(self, ++number)
      const door = yield* Scope.make()
      yield* Effect.addFinalizer((exit) => {
        entries.forget(name)
        switchedOn.delete(name)
        // From its first step on, nobody who comes with the secret is let in.
        return Effect.all([Scope.close(door, exit), takeBack], { concurrency: "unbounded", discard: true })
      })
      const served = yield* Scope.provide(serve(name, tools), door)
      entries.want(name, entryOf(served))
      switchedOn.set(name, gatewayKey)
      yield* entries.settle
      yield* switchOn(operator, gatewayKey, name)
    })
  })
})

export const layerEndpoint: Layer.Layer<SessionToolInjector, never, GatewayLink> = Layer.effect(
  SessionToolInjector,
  makeEndpoint
)

// ---- a gateway elsewhere ---------------------------------------------------------------------------------------------

const makeNode = Effect.gen(function* () {
  const link = yield* GatewayLink
  const node = yield* openedOnce(openNode(link))
  return SessionToolInjector.of({
    inject: Effect.fn("SessionToolInjector.inject")(function* (gatewayKey, tools) {
      const { offer } = yield* node.get
      yield* offer(gatewayKey, tools)
    })
  })
})

export const layerNode: Layer.Layer<SessionToolInjector, never, GatewayLink> = Layer.effect(
  SessionToolInjector,
  makeNode
)

/** By where the gateway is. */
export const layer: Layer.Layer<SessionToolInjector, never, GatewayLink> = Layer.unwrap(
  Effect.map(GatewayLink, ({ local }) => (local ? layerEndpoint : layerNode))
)
