/**
 * A client that writes whatever it likes into `mcpServers`: shapes made from the protocol's own schema, with one thing wrong
 * in them, or several; and what came of them.
 */
import { some } from "../../support/full.ts"
import * as acp from "@agentclientprotocol/sdk"
import schema from "@agentclientprotocol/sdk/schema/v1/schema.unstable.json" with { type: "json" }
import { assert } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import { sessionsFor } from "../../../src/programs/acp/agent.ts"
import { serve } from "../../../src/programs/acp/connection.ts"
import type { Tunnel } from "../../../src/programs/acp/tunnel.ts"
import { makeSchemaCheck } from "../../../src/layers/call/ToolBridge/schemaCheck.ts"
import { isObject } from "../../../src/schemas/data/Json.ts"
import { SpawnFailed } from "../../../src/schemas/connection/ConnectError.ts"
import { ServerConnector } from "../../../src/services/connection/ServerConnector.ts"
import type { Generator } from "../../support/random.ts"
import { cwd, live } from "./live.ts"

// ---- the client: bytes in, bytes out -------------------------------------------------------------------------------

interface Frame {
  readonly id?: unknown
  readonly result?: Record<string, unknown>
  readonly error?: { readonly code: number; readonly message: string }
  readonly params?: { readonly sessionId?: unknown; readonly update?: { readonly title?: unknown } }
}

export const connected = Effect.fnUntraced(function* (tunnel?: Tunnel) {
  const there = new TransformStream<Uint8Array, Uint8Array>()
  const back = new TransformStream<Uint8Array, Uint8Array>()
  const waiting = new Map<unknown, (frame: Frame) => void>()
  const told: Array<string> = []
  const context = yield* Effect.context<Layer.Success<ReturnType<typeof live>>>()
  yield* Effect.forkScoped(
    serve(acp.ndJsonStream(back.writable, there.readable), (door) => Effect.provide(sessionsFor(door), context), tunnel)
  )
  const reading = async () => {
    let rest = ""
    for await (const part of back.readable.pipeThrough(new TextDecoderStream() as never) as AsyncIterable<string>) {
      const lines = (rest + part).split("\n")
      rest = lines.pop()!
      for (const line of lines) {
        const frame = JSON.parse(line) as Frame
        const title = frame.params?.update?.title
        if (typeof title === "string") told.push(title)
        waiting.get(frame.id)?.(frame)
        waiting.delete(frame.id)
      }
    }
  }
  reading().catch(() => {})
  const writer = there.writable.getWriter()
  let ids = 0
  const ask = (method: string, params: unknown) =>
    Effect.promise(() => {
      const id = ++ids
      const answer = new Promise<Frame>((resolve) => waiting.set(id, resolve))
      // Not to be waited for: what comes back may be in the way of it.
      void writer.write(new TextEncoder().encode(`${JSON.stringify({ jsonrpc: "2.0", id, method, params })}\n`))
      return answer
    })
  yield* ask("initialize", { protocolVersion: 1, clientCapabilities: { session: { notices: {} } } })
  return { ask, told }
})

type Connected = Effect.Success<ReturnType<typeof connected>>
type Ask = Connected["ask"]

/** The names of servers that would have been started. */
export const opened: Array<string> = []

/** Tells what would be started, and starts nothing. */
const noConnector = Layer.succeed(ServerConnector, {
  open: ({ name }) =>
    Effect.suspend(() => {
      opened.push(name)
      return Effect.fail(new SpawnFailed({ server: name, command: "x", detail: "not in a test" }))
    })
})

// ---- what the schema says, and what is not that --------------------------------------------------------------------

interface Shape {
  readonly const?: unknown
  readonly type?: unknown
  readonly properties?: Record<string, Shape>
  readonly required?: ReadonlyArray<string>
  readonly items?: Shape
  readonly allOf?: ReadonlyArray<Shape>
  readonly anyOf?: ReadonlyArray<Shape>
  readonly $ref?: string
}

const defs = schema.$defs as unknown as Record<string, Shape>
const isAcp = ({ properties }: Shape) => properties?.["type"]?.const === "acp"
const places: Readonly<Record<string, string>> = { command: "in-memory", url: "http://127.0.0.1:1/mcp" }

/** A value that fits, with everything that may be there. */
const sample = (shape: Shape, name: string): unknown => {
  if (shape.$ref !== undefined) return sample(defs[shape.$ref.split("/").at(-1)!]!, name)
  if (shape.const !== undefined) return shape.const
  if (shape.type === "string") return places[name] ?? name
  if (shape.type === "array") return [sample(shape.items!, `${name}0`), sample(shape.items!, `${name}1`)]
  // A name for another shape.
  if (shape.properties === undefined && shape.allOf?.length === 1) return sample(shape.allOf[0]!, name)
  const parts = Object.entries(shape.properties ?? {}).map(([key, one]) => [key, sample(one, key)] as const)
  return Object.assign({}, ...(shape.allOf ?? []).map((one) => sample(one, name)), Object.fromEntries(parts))
}

export type Entry = Record<string, unknown>

const variantsOf = (which: (shape: Shape) => boolean): ReadonlyArray<Entry> =>
  defs["McpServer"]!.anyOf!.filter(which).map((shape) => sample(shape, "server") as Entry)

/** What every agent takes. */
export const STABLE = variantsOf((shape) => !isAcp(shape))
/** The client itself as a server. */
export const TUNNELLED = variantsOf(isAcp)

export const valid = (index: number, name: string): Entry => ({ ...STABLE[index % STABLE.length], name })

const nested = (depth: number): unknown => (depth === 0 ? "x" : [nested(depth - 1)])

export const GONE = Symbol("gone")
const NO_TEXTS = [GONE, null, true, 0, -1, 1e308, [], {}, [null], [[]], [{}], nested(500), { name: 1 }]
const TEXTS = ["", " ", "\u0000", "\u202e", "\n", "x".repeat(200_000), "secret://env/HOME", "../up", "ftp://x"]
const NAMES = ["__proto__", "stdio", "http", "acp", "websocket", JSON.parse('{"__proto__":{"command":"x"}}') as unknown]
export const WRONG: ReadonlyArray<unknown> = [...NO_TEXTS, ...TEXTS, ...NAMES]

type Path = ReadonlyArray<string | number>

export const pathsOf = (value: unknown, path: Path = []): ReadonlyArray<Path> => [
  path,
  ...(Array.isArray(value)
    ? value.flatMap((one, index) => pathsOf(one, [...path, index]))
    : isObject(value)
      ? Object.entries(value).flatMap(([key, one]) => pathsOf(one, [...path, key]))
      : [])
]

export const changed = (value: unknown, [key, ...rest]: Path, to: unknown): unknown => {
  if (key === undefined) return to
  if (Array.isArray(value)) return value.map((one, index) => (index === key ? changed(one, rest, to) : one))
  if (!isObject(value)) return value
  const next = rest.length === 0 ? to : changed(value[key], rest, to)
  const others = Object.entries(value).filter(([name]) => name !== key)
  return Object.fromEntries(next === GONE ? others : [...others, [key, next]])
}

export const mutated = ({ below, pick }: Generator, entry: unknown): unknown => {
  let value = entry
  for (let left = 1 + below(3); left > 0; left--) value = changed(value, pick(pathsOf(value)), pick(WRONG))
  return value === GONE ? null : value
}

/** `_meta` may be anything anywhere: what is none is ignored, as the schema says. */
const withoutMeta = (value: unknown): unknown => {
  if (Array.isArray(value)) return value.map(withoutMeta)
  if (!isObject(value)) return value
  const entries = Object.entries(value).filter(([key]) => key !== "_meta")
  return Object.fromEntries(entries.map(([key, one]) => [key, withoutMeta(one)]))
}

/** What is taken must fit the schema, but for what we are lenient in: lists that are left out, and how stdio is written. */
const fitsSchema = makeSchemaCheck({ $defs: defs, $ref: "#/$defs/McpServer" })
const isTaken = (entry: unknown, tunnels: boolean): boolean => {
  if (!isObject(entry)) return false
  const { args, env, headers, type, ...rest } = withoutMeta(entry) as Entry
  if (type === "acp") return tunnels && fitsSchema({ ...rest, type })._tag === "Fits"
  const lists =
    type === "http" || type === "sse" ? { type, headers: headers ?? [] } : { args: args ?? [], env: env ?? [] }
  return fitsSchema({ ...rest, ...lists })._tag === "Fits"
}

// ---- what comes of it ----------------------------------------------------------------------------------------------

/** How a session comes to its servers. */
export const WAYS = ["session/new", "session/load", "session/resume"] as const
export type Way = (typeof WAYS)[number]

export interface AcpUpdates extends Connected {
  readonly way: Way
  /** A session that is closed, in which something was said; a new one now and then, so that what is shown again stays little. */
  readonly known: Effect.Effect<unknown>
  readonly tunnels: boolean
}

const say = (ask: Ask, sessionId: unknown) =>
  ask("session/prompt", { sessionId, prompt: [{ type: "text", text: "go" }] })

const ONES_USED = 10

const begin = Effect.fnUntraced(function* (ask: Ask) {
  const { result } = yield* ask("session/new", { cwd, mcpServers: [] })
  const sessionId = result?.["sessionId"]
  yield* say(ask, sessionId)
  yield* ask("session/close", { sessionId })
  return sessionId
})

export const makeDoor = Effect.fnUntraced(function* (way: Way, tunnel?: Tunnel) {
  const { ask, told } = yield* connected(tunnel)
  let [asked, sessionId]: [number, unknown] = [0, undefined]
  const known = Effect.gen(function* () {
    if (asked++ % ONES_USED === 0) sessionId = yield* begin(ask)
    return sessionId
  })
  return { ask, told, way, known, tunnels: tunnel !== undefined } as AcpUpdates
})

const NAMED = /mcpServers\[(\d+)\]/

/** Which entries the person is told of: the session is there, answers, and is closed again. */
export const outcome = ({ ask, known, told, tunnels, way }: AcpUpdates, mcpServers: ReadonlyArray<unknown>) =>
  Effect.gen(function* () {
    const isNew = way === "session/new"
    const given = isNew ? {} : { sessionId: yield* known }
    told.length = 0
    const { error, result } = yield* ask(way, { ...given, cwd, mcpServers })
    assert.isUndefined(error)
    const sessionId = isNew ? result?.["sessionId"] : given.sessionId
    // What is told of the servers comes before the answer.
    assert.deepStrictEqual((yield* say(ask, sessionId)).result, { stopReason: "end_turn" })
    assert.deepStrictEqual((yield* ask("session/close", { sessionId })).result, {})
    const named = told.flatMap((title) => {
      const [, index] = NAMED.exec(title) ?? []
      if (index === undefined) return []
      assert.isBelow(title.length, 500)
      assert.notMatch(title, /\p{Cc}|\p{Cf}/u)
      return [Number(index)]
    })
    for (const [index, entry] of mcpServers.entries()) {
      if (!named.includes(index)) assert.isTrue(isTaken(entry, tunnels), JSON.stringify(entry).slice(0, 500))
    }
    return named
  })

/** A prime: every kind of mistake has its turn, at one place or another. */
const ONE_IN = 11

/** An entry in the midst of others, with each thing wrong that may be: it is named, or taken. How many were named. */
export const withOneThingWrong = Effect.fnUntraced(function* (door: AcpUpdates, variants: ReadonlyArray<Entry>) {
  let refused = 0
  for (const variant of variants) {
    const entries = pathsOf(variant).flatMap((path) =>
      WRONG.map((wrong) => changed({ ...variant, name: "changed" }, path, wrong))
    )
    for (const entry of some(
      entries.filter((each) => each !== GONE),
      ONE_IN
    )) {
      const about = yield* outcome(door, [valid(0, "first"), entry, valid(1, "last")])
      if (about.length === 0) continue
      refused++
      assert.deepStrictEqual(about, [1])
    }
  }
  return refused
})

/** The runtime that sessions have here: nothing is ever started. */
export const runtime = live([[{ say: "hi" }]], {}, {}, { connector: noConnector })
