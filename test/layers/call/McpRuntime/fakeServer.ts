/** A supervised server that is nothing but data: what it offers, what it answers, and what it was asked. */
import * as Effect from "effect/Effect"
import * as PubSub from "effect/PubSub"
import * as Stream from "effect/Stream"
import * as SubscriptionRef from "effect/SubscriptionRef"
import {
  decodeAll,
  decodePrompt,
  decodeResource,
  EMPTY,
  type Catalogue,
  type Offers
} from "../../../../src/schemas/connection/Catalogue.ts"
import { ServerUnavailable } from "../../../../src/schemas/call/CallError.ts"
import type { RequestError } from "../../../../src/schemas/connection/RequestError.ts"
import type { ServerConfig } from "../../../../src/schemas/connection/ServerConfig.ts"
import type { ServerState } from "../../../../src/schemas/connection/ServerState.ts"
import type { AgentServer } from "../../../../src/layers/call/McpRuntime/AgentServer.ts"
import type { RequestOptions, ServerConnection } from "../../../../src/services/connection/ServerConnector.ts"
import type { Snapshot, SupervisedServer } from "../../../../src/services/connection/ServerPool.ts"
import { serverConfig } from "../../../support/serverConfig.ts"

export interface Asked {
  readonly method: string
  readonly params: Readonly<Record<string, unknown>>
  readonly options: RequestOptions
}

type Answer = (asked: Asked) => Effect.Effect<unknown, RequestError>

export interface Offer {
  /** Raw definitions. */
  readonly resources?: ReadonlyArray<unknown>
  readonly resourceTemplates?: ReadonlyArray<unknown>
  readonly prompts?: ReadonlyArray<unknown>
  readonly offers?: Partial<Offers>
}

export interface FakeOptions extends Offer {
  readonly config?: Partial<ServerConfig>
  readonly answer?: Answer
  /** `unseen` sleeps, and nobody has seen its lists yet; `broken` cannot be started. */
  readonly state?: "ready" | "unseen" | "broken"
}

export const catalogueOf = ({ offers, prompts = [], resources = [], resourceTemplates = [] }: Offer): Catalogue => ({
  ...EMPTY,
  offers: {
    resources: resources.length + resourceTemplates.length > 0,
    subscriptions: false,
    prompts: prompts.length > 0,
    completions: false,
    ...offers
  },
  resources: decodeAll(resources, decodeResource("uri"), ({ uri }) => uri).values,
  resourceTemplates: decodeAll(resourceTemplates, decodeResource("uriTemplate"), ({ uri }) => uri).values,
  prompts: decodeAll(prompts, decodePrompt, ({ name }) => name).values
})

const INFO = { transport: "stdio", protocolVersion: "2025-11-25", era: "legacy", pid: undefined, connectMs: 0 } as const
export const readySince = (since: number): ServerState => ({ _tag: "Ready", info: INFO, since })

export const fakeServer = Effect.fnUntraced(function* (name: string, options: FakeOptions = {}) {
  const { answer = () => Effect.succeed({ contents: [] }), state = "ready" } = options
  const config = serverConfig(name, options.config)
  const ref = yield* SubscriptionRef.make<Snapshot>({
    state: state === "ready" ? readySince(0) : { _tag: "Idle" },
    catalogue: state === "ready" ? catalogueOf(options) : undefined,
    restarts: 0,
    lastError: undefined
  })
  const updates = yield* PubSub.unbounded<string>()
  let listeners = 0
  const asked: Array<Asked> = []
  /** What is watched now, one entry for each that watches. */
  const watched = new Set<ReadonlyArray<string>>()
  const set = (change: Partial<Snapshot>) => SubscriptionRef.update(ref, (now) => ({ ...now, ...change }))

  const connection: ServerConnection = {
    info: INFO,
    catalogue: EMPTY,
    request: (method, params, options) =>
      Effect.suspend(() => {
        asked.push({ method, params, options })
        return answer({ method, params, options })
      }),
    discover: Effect.succeed(EMPTY),
    onEvent: () => {},
    watchResources: () => Effect.void,
    ping: Effect.succeed(true),
    closed: Effect.never
  }

  const supervised: SupervisedServer = {
    config,
    snapshot: () => SubscriptionRef.getUnsafe(ref),
    changes: SubscriptionRef.changes(ref),
    use: (use) =>
      Effect.gen(function* () {
        if (state === "broken") {
          return yield* new ServerUnavailable({
            server: name,
            state: "failed",
            detail: "no such file",
            retryInMs: null
          })
        }
        // What sleeps wakes up, with its lists.
        if (SubscriptionRef.getUnsafe(ref).catalogue === undefined) {
          yield* set({ state: readySince(0), catalogue: catalogueOf(options) })
        }
        return yield* use(connection)
      }),
    wake: Effect.void,
    settled: Effect.void,
    gone: Effect.never,
    quiet: Effect.void,
    renew: Effect.void,
    refresh: Effect.void,
    prepare: Effect.void,
    resourceUpdates: Stream.unwrap(
      Effect.gen(function* () {
        const subscription = yield* PubSub.subscribe(updates)
        yield* Effect.acquireRelease(
          Effect.sync(() => listeners++),
          () => Effect.sync(() => listeners--)
        )
        return Stream.fromSubscription(subscription)
      })
    ),
    watchResources: (uris) =>
      Effect.asVoid(
        Effect.acquireRelease(
          Effect.sync(() => void watched.add(uris)),
          () => Effect.sync(() => watched.delete(uris))
        )
      ),
    reset: Effect.void,
    stop: Effect.void
  }

  const server: AgentServer = {
    config,
    supervised,
    rules: [],
    requestOptions: { idleMs: config.toolTimeout, totalMs: 600_000, onProgress: () => {} },
    caller: { agent: "main", server: config.name, process: config.name, limits: config.limits }
  }
  return {
    server,
    asked,
    /** The URIs that were read, in order. */
    reads: () => asked.flatMap(({ method, params }) => (method === "resources/read" ? [String(params["uri"])] : [])),
    watched: () => [...watched],
    /** Who hears of changes of resources. */
    listeners: () => listeners,
    set,
    offer: (offer: Offer) => set({ catalogue: catalogueOf(offer) }),
    update: (uri: string) => PubSub.publish(updates, uri)
  }
})

export type FakeServer = Effect.Success<ReturnType<typeof fakeServer>>

/** A server that has these texts, by URI. */
export const texts =
  (contents: Readonly<Record<string, unknown>>): Answer =>
  ({ params }) => {
    const uri = String(params["uri"])
    const text = contents[uri] ?? uri
    return Effect.isEffect(text)
      ? (text as Effect.Effect<unknown, RequestError>)
      : Effect.succeed({ contents: [{ uri, mimeType: "text/plain", text }] })
  }

/** Lets other fibers go on until something holds that they bring about. */
export const until = (holds: () => boolean) =>
  Effect.gen(function* () {
    for (let turn = 0; turn < 1_000 && !holds(); turn++) yield* Effect.yieldNow
    if (!holds()) throw new Error(`not within 1,000 turns: ${holds.toString()}`)
  })

/** Lets other fibers do what they can do now. */
export const others = Effect.gen(function* () {
  for (let turn = 0; turn < 100; turn++) yield* Effect.yieldNow
})
