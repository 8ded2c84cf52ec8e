/**
 * The resources of connected servers for the context of one agent, cached for this agent only. A resource is read on first
 * use, and again when it expires, when its server reports a change, or after a restart. A caller waits for a read only once
 * and not for long; late ones are there the next time.
 */
import * as Cause from "effect/Cause"
import * as Clock from "effect/Clock"
import * as Deferred from "effect/Deferred"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import * as FiberMap from "effect/FiberMap"
import * as Option from "effect/Option"
import type * as Scope from "effect/Scope"
import * as Semaphore from "effect/Semaphore"
import * as Stream from "effect/Stream"
import type { ResourceDefinition } from "../../../schemas/connection/Catalogue.ts"
import type { ContentPolicy } from "../../../schemas/content/ContentPolicy.ts"
import {
  RESOURCE_CONTEXT_CONCURRENCY,
  RESOURCE_CONTEXT_MAX_BYTES,
  RESOURCE_CONTEXT_MAX_ITEMS,
  RESOURCE_CONTEXT_RETRY_MS,
  RESOURCE_CONTEXT_WAIT_MS
} from "../../../schemas/defaults/Catalogue.ts"
import type { ResourceError } from "../../../schemas/call/CallError.ts"
import type { AgentResource, ResourceReading } from "../../../schemas/content/Resource.ts"
import type { Budget } from "../../../schemas/connection/ServerConfig.ts"
import type { SupervisedServer } from "../../../services/connection/ServerPool.ts"
import type { ResourceBridge } from "../../../services/content/ResourceBridge.ts"
import { isThere, type ListedResource, type ServerResources } from "./resourceList.ts"

export interface ContextOptions {
  readonly list: () => ReadonlyArray<ServerResources>
  readonly bridge: ResourceBridge["Service"]
  readonly read: (source: ServerResources, uri: string, budget: Budget) => Effect.Effect<ResourceReading, ResourceError>
}

export interface ResourceContext {
  readonly text: Effect.Effect<string>
}

/** A resource as it was last read. */
interface Entry {
  readonly definition: ResourceDefinition
  /** When its connection began. */
  readonly since: number
  readonly readAt: number
  /** The last successful reading; `undefined` when there is none, or the resource has gone. */
  readonly reading: ResourceReading | undefined
  readonly failed: boolean
}

interface Read {
  readonly startedAt: number
  readonly done: Deferred.Deferred<void>
}

/** The cache for one server. */
interface Kept {
  readonly entries: Map<string, Entry>
  readonly reads: Map<string, Read>
  /** Changed since or while they were read. */
  readonly changed: Set<string>
  readonly permits: Semaphore.Semaphore
  watched: string
}

/** The part of the context from one server, and how much of it is missing. */
interface Part {
  readonly shown: ReadonlyArray<{
    readonly resource: AgentResource
    readonly reading: ResourceReading
    readonly content: ContentPolicy
  }>
  readonly notes: ReadonlyArray<string>
}

/** Known to be binary: not worth reading. */
const BINARY = /^(?:image|audio|video|font)\/|^application\/(?:octet-stream|pdf|zip|gzip|x-tar)\b/i
const isText = ({ definition }: ListedResource) => !BINARY.test(definition.mimeType ?? "")

const isForContext = (source: ServerResources) => source.server.config.resourceContext && isThere(source)

export const makeResourceContext = Effect.fnUntraced(function* ({
  bridge,
  list,
  read
}: ContextOptions): Effect.fn.Return<ResourceContext, never, Scope.Scope> {
  const scope = yield* Effect.scope
  const watches = yield* FiberMap.make<string>()
  const updates = yield* FiberMap.make<string>()
  /** A server that takes the place of another one begins anew. */
  const kept = new WeakMap<SupervisedServer, Kept>()

  // ---- changes -----------------------------------------------------------------------------------------------------

  /** A change below a resource counts as a change of the resource. */
  const markChanged = ({ changed, entries, reads }: Kept, uri: string) => {
    for (const own of [...entries.keys(), ...reads.keys()]) if (uri.startsWith(own)) changed.add(own)
  }

  /** From the first context on: subscribes before reading, so that no change is missed. */
  const keptOf = Effect.fnUntraced(function* ({ server }: ServerResources) {
    const { name } = server.config
    const known = kept.get(server.supervised)
    if (known !== undefined) return known
    const fresh: Kept = {
      entries: new Map(),
      reads: new Map(),
      changed: new Set(),
      permits: Semaphore.makeUnsafe(RESOURCE_CONTEXT_CONCURRENCY),
      watched: ""
    }
    kept.set(server.supervised, fresh)
    yield* FiberMap.run(
      updates,
      name,
      Stream.runForEach(server.supervised.resourceUpdates, (uri) => Effect.sync(() => markChanged(fresh, uri)))
    )
    return fresh
  })

  const watch = Effect.fnUntraced(function* (
    { announcesChanges, server }: ServerResources,
    kept: Kept,
    wanted: ReadonlyArray<ListedResource>
  ) {
    const uris = announcesChanges ? wanted.map(({ definition }) => definition.uri) : []
    const key = JSON.stringify(uris)
    if (key === kept.watched) return
    kept.watched = key
    const { name } = server.config
    if (uris.length === 0) return yield* FiberMap.remove(watches, name)
    const watching = Effect.scoped(Effect.andThen(server.supervised.watchResources(uris), Effect.never))
    yield* FiberMap.run(watches, name, watching)
  })

  // ---- reading -----------------------------------------------------------------------------------------------------

  const isFresh = (source: ServerResources, kept: Kept, listed: ListedResource, since: number, now: number) => {
    const { uri } = listed.definition
    const entry = kept.entries.get(uri)
    if (entry === undefined || kept.changed.has(uri) || entry.since !== since) return false
    // A definition is the same object until something in it changes.
    if (entry.definition !== listed.definition) return false
    const { resourceRefreshMs } = source.server.config
    const lastsMs = entry.failed ? RESOURCE_CONTEXT_RETRY_MS : resourceRefreshMs
    return lastsMs === 0 || now - entry.readAt < lastsMs
  }

  const settle = Effect.fnUntraced(function* (
    source: ServerResources,
    kept: Kept,
    { definition, resource }: ListedResource,
    since: number,
    exit: Exit.Exit<ResourceReading, ResourceError>
  ) {
    const { uri } = definition
    const readAt = yield* Clock.currentTimeMillis
    const before = kept.entries.get(uri)
    if (Exit.isSuccess(exit)) {
      kept.entries.set(uri, { definition, since, readAt, reading: textOf(exit.value), failed: false })
      return
    }
    const error = Option.getOrUndefined(Cause.findErrorOption(exit.cause))
    const reading = error?._tag === "ResourceNotFound" ? undefined : before?.reading
    kept.entries.set(uri, { definition, since, readAt, reading, failed: true })
    // Reported once, not at each retry.
    if (before?.failed === true) return
    const what = `[${source.server.config.name}] ${resource.uri} cannot be read for the context`
    yield* error === undefined ? Effect.logError(what, exit.cause) : Effect.logWarning(`${what}: ${error.message}`)
  })

  const start = (source: ServerResources, kept: Kept, listed: ListedResource, since: number, now: number) => {
    const { budget } = source.server.config
    const { uri } = listed.definition
    const bounded = { ...budget, bytes: Math.min(budget.bytes, RESOURCE_CONTEXT_MAX_BYTES) }
    const done = Deferred.makeUnsafe<void>()
    kept.changed.delete(uri)
    kept.reads.set(uri, { startedAt: now, done })
    return kept.permits.withPermit(read(source, uri, bounded)).pipe(
      Effect.exit,
      Effect.tap(() => Effect.sync(() => kept.reads.delete(uri))),
      Effect.flatMap((exit) => settle(source, kept, listed, since, exit)),
      Effect.ensuring(Deferred.succeed(done, undefined)),
      Effect.forkIn(scope)
    )
  }

  /** Starts the reads that a connected server needs. A lazy server is not started for this. */
  const renew = Effect.fnUntraced(function* (source: ServerResources) {
    const kept = yield* keptOf(source)
    const wanted = source.resources.filter(isText).slice(0, RESOURCE_CONTEXT_MAX_ITEMS)
    const uris = new Set(wanted.map(({ definition }) => definition.uri))
    for (const uri of kept.entries.keys()) if (!uris.has(uri)) kept.entries.delete(uri)
    for (const uri of kept.changed) if (!uris.has(uri)) kept.changed.delete(uri)
    yield* watch(source, kept, wanted)
    const { state } = source.server.supervised.snapshot()
    if (state._tag === "Ready") {
      const now = yield* Clock.currentTimeMillis
      for (const listed of wanted) {
        const isRead = kept.reads.has(listed.definition.uri)
        if (!isRead && !isFresh(source, kept, listed, state.since, now)) {
          yield* start(source, kept, listed, state.since, now)
        }
      }
    }
    return { source, kept, wanted }
  })

  type Renewed = Effect.Success<ReturnType<typeof renew>>

  const wait = Effect.fnUntraced(function* (renewed: ReadonlyArray<Renewed>) {
    const now = yield* Clock.currentTimeMillis
    const reads = renewed.flatMap(({ kept }) => [...kept.reads.values()])
    yield* Effect.forEach(
      reads,
      ({ done, startedAt }) =>
        Effect.timeoutOption(Deferred.await(done), Math.max(0, startedAt + RESOURCE_CONTEXT_WAIT_MS - now)),
      { concurrency: "unbounded", discard: true }
    )
  })

  // ---- showing -----------------------------------------------------------------------------------------------------

  const show = ({ kept, source, wanted }: Renewed): Part => {
    const { content, name } = source.server.config
    const shown = wanted.flatMap(({ definition, resource }) => {
      const reading = kept.entries.get(definition.uri)?.reading
      return reading === undefined ? [] : [{ resource, reading, content }]
    })
    const old = wanted.filter(({ definition: { uri } }) => {
      const entry = kept.entries.get(uri)
      return entry?.reading !== undefined && (entry.failed || kept.reads.has(uri))
    })
    const more = source.resources.filter(isText).length - wanted.length
    return {
      shown,
      notes: [
        ...noteOf(wanted.length - shown.length, `of MCP server '${name}' could not be read`),
        ...noteOf(old.length, `of MCP server '${name}' may have changed since`),
        ...noteOf(more, `of MCP server '${name}' not shown here`)
      ]
    }
  }

  let last: { readonly parts: ReadonlyArray<Part>; readonly text: string } = { parts: [], text: "" }

  /** The same text until something changes, including the boundaries, so that a model's prompt cache stays valid. */
  const textFor = (parts: ReadonlyArray<Part>): string => {
    if (isSame(parts, last.parts)) return last.text
    const notes = parts.flatMap((part) => part.notes).map((note) => `\n${note}`)
    const shown = parts.flatMap((part) => part.shown)
    const room = RESOURCE_CONTEXT_MAX_BYTES - Buffer.byteLength(notes.join("")) - 1
    const blocks = bridge.toContext(shown, room)
    last = { parts, text: blocks === "" ? "" : blocks + (notes.length === 0 ? "" : `\n${notes.join("")}`) }
    return last.text
  }

  const text = Effect.gen(function* () {
    const renewed = yield* Effect.forEach(list().filter(isForContext), renew)
    yield* wait(renewed)
    return textFor(renewed.map(show))
  })
  return { text: text.pipe(Effect.withSpan("McpRuntime.resourceContext")) }
})

/** Images and binary contents are not needed for the context, so they are dropped. */
const textOf = (reading: ResourceReading): ResourceReading => ({
  ...reading,
  content: [],
  pieces: reading.pieces.filter((piece) => "text" in piece)
})

const noteOf = (count: number, words: string) =>
  count > 0 ? [`[${count} ${count === 1 ? "resource" : "resources"} ${words}]`] : []

const isSame = (some: ReadonlyArray<Part>, others: ReadonlyArray<Part>): boolean =>
  some.length === others.length &&
  some.every(({ notes, shown }, i) => {
    const other = others[i]!
    return (
      notes.join() === other.notes.join() &&
      shown.length === other.shown.length &&
      shown.every(({ reading, resource }, k) => {
        const known = other.shown[k]!
        return reading === known.reading && resource === known.resource
      })
    )
  })
