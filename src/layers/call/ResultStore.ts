/**
 * Keeps texts that are too long for a result. A handle is returned at once; the text stays in memory until `ResultTexts` has stored it, one
 * after the other. If that fails, texts stay in memory as far as they fit. When the store is full, the client (or session) that uses most
 * loses texts first, of the server that uses most: those who fill the store push out their own texts.
 */
import * as Deferred from "effect/Deferred"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Queue from "effect/Queue"
import * as Semaphore from "effect/Semaphore"
import { randomBytes } from "node:crypto"
import { dataDirectory } from "../../schemas/config/DataDirectory.ts"
import {
  RESULT_STORE_HELD_MAX_BYTES,
  RESULT_STORE_ITEM_MAX_BYTES,
  RESULT_STORE_ITEM_MIN_BYTES,
  RESULT_STORE_MAX_BYTES
} from "../../schemas/defaults/Results.ts"
import type { Origin } from "../../schemas/call/Origin.ts"
import type { Parts } from "../../schemas/content/TextParts.ts"
import { Redactor } from "../../services/content/Redactor.ts"
import { ResultStore, type Keeping, type Kept, type KeptParts } from "../../services/call/ResultStore.ts"
import { ResultTexts } from "../../services/call/ResultTexts.ts"
import { inTurns } from "../../system/inTurns.ts"
import { again } from "../../system/rounds.ts"
import { HANDLE_BYTES, ifThere, makeElsewhere } from "./ResultStore/elsewhere.ts"
import { fileTexts } from "./ResultStore/runFiles.ts"
import { makeShares, memoryOf, type Owner } from "./ResultStore/shares.ts"

export { filesOfPeople } from "./ResultStore/runFiles.ts"

/** How many bytes of texts are kept. */
export interface SizeOptions {
  /** The limit for everything that is stored, in bytes. */
  readonly maxBytes?: number | undefined
  /** The limit for one text, in bytes. */
  readonly itemMaxBytes?: number | undefined
  /** The limit for texts in memory, in bytes. */
  readonly heldMaxBytes?: number | undefined
}

/** The same, and where. */
export interface Options extends SizeOptions {
  /** The data directory. Default: `$MCP_LIVE_HOME`, else `~/.mcp-live`. */
  readonly directory?: string | undefined
}

interface Whose {
  readonly origin: Origin
  /** `undefined`: everybody may read it. */
  readonly part: Part | undefined
}

interface Entry extends Whose {
  readonly handle: string
  readonly bytes: number
  /** The memory that it uses while it is held. */
  readonly memory: number
  /** Set until it is written. */
  held: string | undefined
  /** Where the parts of its file are, after that. */
  parts: Parts | undefined
  /** A held text is masked once, by the first that needs it; others wait. */
  readonly masking: Semaphore.Semaphore
  isMasked: boolean
  /** Whether writing it failed. */
  failed: boolean
}

/** Unique; equal only to itself. */
type Part = symbol

const ownerOf = ({ origin, part }: Whose): Owner => ({ holder: origin.client ?? part, server: origin.server })

const make = Effect.fnUntraced(function* (options: SizeOptions) {
  const { redactInTurns } = yield* Redactor
  const texts = yield* ResultTexts
  const elsewhere = makeElsewhere(texts)
  const {
    heldMaxBytes = RESULT_STORE_HELD_MAX_BYTES,
    itemMaxBytes = RESULT_STORE_ITEM_MAX_BYTES,
    maxBytes = RESULT_STORE_MAX_BYTES
  } = options
  /** In the order of their arrival. */
  const entries = new Map<string, Entry>()
  const shares = makeShares()
  let [held, closing, warned] = [0, false, false]

  /** Tasks for the disk, one after the other: write a text, or remove the file of one that was dropped. */
  const tasks = yield* Queue.unbounded<Effect.Effect<unknown>>()
  const later = (entry: Entry) =>
    void Queue.offerUnsafe(
      tasks,
      Effect.suspend(() => perform(entry))
    )

  const release = (entry: Entry) => {
    if (entry.held === undefined) return
    held -= entry.memory
    entry.held = undefined
  }

  const evict = (entry: Entry) => {
    const isWritten = entry.held === undefined
    entries.delete(entry.handle)
    shares.add(ownerOf(entry), -entry.bytes)
    release(entry)
    if (isWritten) later(entry)
  }

  /** The text to drop next: the oldest of those who must give way. */
  const next = (bytes: number, fresh: Whose): Entry | undefined => {
    const { holder, server } = shares.largest(ownerOf(fresh), bytes)
    for (const entry of entries.values()) {
      const owner = ownerOf(entry)
      if (owner.server === server && owner.holder === holder) return entry
    }
    return undefined
  }

  /** Drops texts until there is room; `false` when even that would not be enough. */
  const makeRoom = (bytes: number, memory: number, whose: Whose): boolean => {
    if (bytes > Math.min(itemMaxBytes, maxBytes) || memory > heldMaxBytes) return false
    for (const entry of entries.values()) {
      if (held + memory <= heldMaxBytes) break
      // A text that waits to be written was accepted only just now, so the new one is refused instead.
      if (entry.failed) evict(entry)
    }
    if (held + memory > heldMaxBytes) return false
    const isFull = () => shares.total() + bytes > maxBytes
    for (let entry = next(bytes, whose); entry !== undefined && isFull(); entry = next(bytes, whose)) evict(entry)
    return !isFull()
  }

  const keep = (part: Part | undefined, text: string, origin: Origin): string | undefined => {
    // A character has at least one byte: a text that is far too long is not even measured.
    if (closing || text.length > itemMaxBytes) return undefined
    const bytes = Math.max(Buffer.byteLength(text), RESULT_STORE_ITEM_MIN_BYTES)
    const memory = memoryOf(text, bytes)
    if (!makeRoom(bytes, memory, { part, origin })) return undefined
    const handle = `r-${randomBytes(HANDLE_BYTES).toString("hex")}`
    const entry: Entry = {
      handle,
      origin,
      bytes,
      memory,
      part,
      held: text,
      parts: undefined,
      masking: Semaphore.makeUnsafe(1),
      isMasked: false,
      failed: false
    }
    entries.set(handle, entry)
    shares.add(ownerOf(entry), bytes)
    held += memory
    later(entry)
    return handle
  }

  // ---- the disk ----------------------------------------------------------------------------------------------------

  /** In steps, because it may have many megabytes. Masking first keeps positions the same when the text is written. */
  const masked = (entry: Entry, text: string) =>
    entry.masking.withPermit(
      Effect.suspend(() =>
        entry.isMasked
          ? Effect.succeed(entry.held ?? text)
          : Effect.map(inTurns(redactInTurns(text)), (redacted) => {
              const clean = redacted.toWellFormed()
              if (entry.held !== undefined) {
                entry.held = clean
                entry.isMasked = true
              }
              return clean
            })
      )
    )

  const write = (entry: Entry, text: string) =>
    Effect.flatMap(masked(entry, text), (clean) =>
      texts.write(entry.handle, clean, entry.part === undefined ? entry.origin : undefined, entry.origin.client)
    ).pipe(
      Effect.flatMap((parts) =>
        Effect.suspend(() => {
          entry.parts = parts
          release(entry)
          // It was dropped while it was written.
          return entries.has(entry.handle) ? Effect.void : remove(entry)
        })
      ),
      Effect.catch((code) => {
        entry.failed = true
        if (warned) return Effect.void
        warned = true
        return Effect.logWarning(
          `results that are too long cannot be written to ${texts.place} (${code}); they stay in memory`
        )
      })
    )

  const remove = (entry: Entry) => Effect.ignore(texts.remove(entry.handle))

  const perform = (entry: Entry): Effect.Effect<void> => {
    if (!entries.has(entry.handle)) return remove(entry)
    return entry.held === undefined ? Effect.void : write(entry, entry.held)
  }

  /** The entry, if this part of the store may read it. */
  const entryOf = (part: Part | undefined, handle: string): Entry | undefined => {
    const entry = entries.get(handle)
    return entry === undefined || (entry.part !== undefined && entry.part !== part) ? undefined : entry
  }

  const readEntry = Effect.fn("ResultStore.read")(function* (
    entry: Entry | undefined,
    handle: string
  ): Effect.fn.Return<Kept | undefined> {
    if (entry === undefined) return yield* elsewhere.read(handle)
    const text = entry.held === undefined ? yield* ifThere(texts.read(handle)) : yield* masked(entry, entry.held)
    return text === undefined ? undefined : { origin: entry.origin, length: text.length, text }
  })

  /** Until it is written, all readers share one string. */
  const sliceOf = (entry: Entry, from: number, to: number): Effect.Effect<string | undefined> => {
    const { handle, held, parts } = entry
    if (held !== undefined) return Effect.map(masked(entry, held), (text) => text.slice(from, to))
    return ifThere(texts.slice(handle, parts!, from, to))
  }

  const openEntry = Effect.fn("ResultStore.open")(function* (
    entry: Entry | undefined,
    handle: string
  ): Effect.fn.Return<KeptParts | undefined> {
    if (entry === undefined) return yield* elsewhere.open(handle)
    const held = entry.held === undefined ? undefined : yield* masked(entry, entry.held)
    const length = held?.length ?? entry.parts?.chars.at(-1) ?? 0
    return { origin: entry.origin, length, slice: (from, to) => sliceOf(entry, from, to) }
  })

  // Finalizers run last to first: nothing more is accepted, the writer finishes its text, then the store of the texts closes.
  const performed = Effect.uninterruptible(Effect.flatten(Queue.take(tasks)))
  yield* Effect.forkScoped(again("the writing of results", Queue.peek(tasks), performed))
  yield* Effect.addFinalizer(() =>
    Effect.sync(() => {
      closing = true
      entries.clear()
    })
  )

  const keeping = (part: Part | undefined): Keeping => ({
    keep: (text, origin) => keep(part, text, origin),
    open: (handle) => Effect.suspend(() => openEntry(entryOf(part, handle), handle)),
    read: (handle) => Effect.suspend(() => readEntry(entryOf(part, handle), handle))
  })

  return ResultStore.of({
    ...keeping(undefined),
    readAny: (handle) => Effect.suspend(() => readEntry(entries.get(handle), handle)),
    settled: Effect.gen(function* () {
      const reached = yield* Deferred.make<void>()
      yield* Queue.offer(tasks, Deferred.succeed(reached, undefined))
      yield* Deferred.await(reached)
    }),
    part: Effect.map(
      Effect.acquireRelease(
        Effect.sync((): Part => Symbol("part")),
        (part) => Effect.sync(() => entries.forEach((entry) => entry.part === part && evict(entry)))
      ),
      keeping
    )
  })
})

/** Stores texts where `ResultTexts` says. */
export const layerStored = (options: SizeOptions = {}): Layer.Layer<ResultStore, never, ResultTexts | Redactor> =>
  Layer.effect(ResultStore, make(options))

/** Stores texts in files of the data directory, for as long as the layer lives. */
export const layer = ({ directory, ...options }: Options = {}): Layer.Layer<ResultStore, never, Redactor> =>
  Layer.provide(
    layerStored(options),
    Layer.effect(ResultTexts)(Effect.suspend(() => fileTexts(directory ?? dataDirectory())))
  )

/** A part of the store, as a store of its own. */
export const layerPart: Layer.Layer<ResultStore, never, ResultStore> = Layer.effect(
  ResultStore,
  Effect.flatMap(ResultStore, (whole) => Effect.map(whole.part, (keeping) => ResultStore.of({ ...whole, ...keeping })))
)

const nothing: Keeping = { keep: () => undefined, open: () => Effect.undefined, read: () => Effect.undefined }

/** A store that keeps nothing: for results that nobody could continue to read. */
export const layerNone: Layer.Layer<ResultStore> = Layer.succeed(ResultStore, {
  ...nothing,
  readAny: nothing.read,
  settled: Effect.void,
  part: Effect.succeed(nothing)
})
