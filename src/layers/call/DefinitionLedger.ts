/**
 * Tool pinning, over a `PinStore`. Reviews are synchronous: they read what is stored if it has changed, and leave writing and reporting to a
 * fiber. A write starts from what is stored then, one process at a time, so that no process undoes the decision of another.
 */
import * as Clock from "effect/Clock"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Queue from "effect/Queue"
import * as SubscriptionRef from "effect/SubscriptionRef"
import type { Catalogue, ToolDefinition } from "../../schemas/connection/Catalogue.ts"
import { dataDirectory } from "../../schemas/config/DataDirectory.ts"
import { INSTRUCTIONS_MAX_CHARS } from "../../schemas/defaults/Definitions.ts"
import { PINS_WATCH_MS } from "../../schemas/defaults/Pins.ts"
import { definitionHasher, partsOf } from "../../schemas/call/DefinitionHash.ts"
import { again, following, tryEach } from "../../system/rounds.ts"
import { inherited, reviewed, type Listed } from "./DefinitionLedger/review.ts"
import { pinCheckOf, type PinCheck } from "../../schemas/call/Pins.ts"
import { PinsFailed } from "../../schemas/call/PinsFailed.ts"
import type { ServerConfig } from "../../schemas/connection/ServerConfig.ts"
import { startedAs } from "./DefinitionLedger/startedAs.ts"
import { AuditLog } from "../../services/call/AuditLog.ts"
import { ContentSanitizer } from "../../services/content/ContentSanitizer.ts"
import { DefinitionLedger, type Decision, type Offer } from "../../services/call/DefinitionLedger.ts"
import { PinStore } from "../../services/call/PinStore.ts"
import { Redactor } from "../../services/content/Redactor.ts"
import {
  basisOf,
  hasRoom,
  makeEntries,
  ownedBy,
  refresh,
  reviewedOver,
  standingKey,
  useRoom,
  type Entry
} from "./DefinitionLedger/entries.ts"
import { ownStore } from "./DefinitionLedger/pinFiles.ts"
import { makeMasking } from "./DefinitionLedger/masked.ts"
import { makeShadows } from "./DefinitionLedger/shadows.ts"
import { makeTelling } from "./DefinitionLedger/telling.ts"
import { keepVerdict } from "./DefinitionLedger/verdicts.ts"

/** For which configuration definitions are stored. */
export interface LedgerOptions {
  /** Identifies the configuration: pins of other configurations with servers of the same name are separate. */
  readonly configuration?: string | undefined
}

/** The same, and where. */
export interface Options extends LedgerOptions {
  /** The data directory. Default: `$MCP_LIVE_HOME`, else `~/.mcp-live`. */
  readonly directory?: string | undefined
}

const make = Effect.fnUntraced(function* (options: LedgerOptions) {
  const redactor = yield* Redactor
  const clock = yield* Clock.Clock
  const store = yield* PinStore
  const entries = makeEntries(store, options.configuration)
  const work = yield* Queue.unbounded<Effect.Effect<void>>()
  const versions = yield* SubscriptionRef.make(0)
  const editions = yield* SubscriptionRef.make(0)
  let version = 0

  const later = (effect: Effect.Effect<void>) => void Queue.offerUnsafe(work, effect)
  const masked = makeMasking(redactor)
  const audit = yield* AuditLog
  const tell = makeTelling({ sanitizer: yield* ContentSanitizer, audit, later })

  const standsOtherwise = Effect.suspend(() => SubscriptionRef.set(versions, ++version))
  const listsOtherwise = SubscriptionRef.update(editions, (edition) => edition + 1)

  /** A definition that waits for the operator changes the file, and not what applies. */
  const tellStored = Effect.suspend(() => {
    const others = entries.all().filter(({ stamp, told }) => stamp !== told)
    for (const entry of others) entry.told = entry.stamp
    return others.length === 0 ? Effect.void : listsOtherwise
  })

  // ---- writing -----------------------------------------------------------------------------------------------------

  const saved = (entry: Entry, listed: Listed) =>
    store
      .modify(entry, { stamp: entry.stamp, held: entry.filed }, (there) => {
        if (there._tag === "Unreadable") return Effect.fail(there.detail)
        const { altered, pins } = reviewedOver(entry, there, listed)
        const isKept = !altered && there._tag === "Pins"
        return Effect.succeed(isKept ? { value: pins } : { value: pins, keep: ownedBy(entry, pins) })
      })
      .pipe(
        Effect.tap(({ bytes }) =>
          bytes === 0 ? Effect.void : Effect.map(Clock.currentTimeMillis, (now) => useRoom(entry, bytes, now))
        ),
        Effect.ensuring(Effect.sync(() => (entry.isSaving = false)))
      )

  const save = (entry: Entry): Effect.Effect<void> =>
    Effect.suspend(() => {
      const listed = entry.unsaved
      if (listed === undefined) return Effect.void
      entry.isSaving = true
      return saved(entry, listed).pipe(
        Effect.flatMap(({ stamp, value: pins }) => {
          entry.filed = { _tag: "Pins", pins }
          entry.stamp = stamp
          // A later list is waiting: this result stands until that one is written, too.
          if (entry.unsaved !== listed) return tellStored
          const before = standingKey(entry)
          entry.unsaved = undefined
          entry.complaint = undefined
          entry.held = entry.filed
          return Effect.andThen(tellStored, standingKey(entry) === before ? Effect.void : standsOtherwise)
        }),
        Effect.catch((detail) => {
          if (entry.complaint === detail) return Effect.void
          entry.complaint = detail
          return tell.unsaved(entry, detail)
        })
      )
    })

  /** When much has been written recently, the write waits; until then the result applies to this process only. */
  const saveInTime = (entry: Entry): Effect.Effect<void> =>
    Effect.suspend(() => (hasRoom(entry, clock.currentTimeMillisUnsafe()) ? save(entry) : Effect.void))

  // ---- reviews -----------------------------------------------------------------------------------------------------

  /** Lists that existed before the current review, including those of servers without pins. */
  const known = new WeakSet<Catalogue>()

  /** For a list that was reviewed, what another process changes is noticed in the background. */
  const heldOf = (config: ServerConfig, catalogue?: Catalogue) => {
    if (config.pin === "off") return undefined
    const entry = entries.of(config)
    return catalogue !== undefined && entry.lists.has(catalogue) ? entry.held : refresh(store, entry).held
  }

  /** The pins of a server that lists nothing do not change in a review, and are read only on demand. */
  const earlierOf = (offers: ReadonlyArray<Offer>) =>
    offers.map(({ catalogue, config }) => ({
      config,
      held: catalogue === undefined ? undefined : heldOf(config, catalogue),
      listed: catalogue !== undefined && known.has(catalogue) ? catalogue.tools : []
    }))

  const makeShadowed = (offers: ReadonlyArray<Offer>) => {
    const earlier = earlierOf(offers)
    return makeShadows(() =>
      earlier.map(({ config, held = heldOf(config), listed }) => ({
        server: config.name,
        tools: [
          ...(held?._tag === "Pins"
            ? [...held.pins.tools.values()].filter(({ gone }) => !gone).map(({ name }) => name)
            : []),
          ...listed.map(({ name }) => name)
        ]
      }))
    )
  }

  const look = (config: ServerConfig, catalogue: Catalogue, shadowed: ReturnType<typeof makeShadows>) => {
    const entry = entries.of(config)
    const { held } = entry
    if (held._tag === "Unreadable") return tell.unreadable(entry, config, held.detail)
    if (held._tag === "Pins" && entry.lists.has(catalogue)) return
    entry.lists.add(catalogue)
    if (held._tag === "Damaged") tell.unreadable(entry, config, held.detail)
    const hash = definitionHasher(config, catalogue)
    const redact = redactor.isEmpty() ? (text: string) => text : redactor.redact
    const listed: Listed = {
      server: config.name,
      launch: entry.launch,
      started: startedAs(config, redact),
      host: catalogue.host ?? "",
      instructions: catalogue.instructions && redact(catalogue.instructions).slice(0, INSTRUCTIONS_MAX_CHARS),
      tools: catalogue.tools.map((tool) => ({ hash: hash(tool), definition: masked(tool) })),
      at: clock.currentTimeMillisUnsafe(),
      shadowed: shadowed(config.name)
    }
    // Servers that editors bring under the same name are different servers, of different projects.
    const isKin = held._tag === "Nothing" && config.session === undefined
    const before = isKin ? store.lastOf(config.name, entry.configuration) : undefined
    const basis =
      before === undefined ? basisOf(held, entry, listed.at) : inherited(before, listed, config.pin !== "block")
    const { altered, changes, isFirst, pins, trusted } = reviewed(basis, listed)
    entry.held = { _tag: "Pins", pins }
    // Written before it is reported: whoever reads the report can look it up.
    if (altered || held._tag !== "Pins") {
      entry.unsaved = listed
      later(saveInTime(entry))
    }
    if (trusted > 0) tell.trusted(config, trusted, isFirst)
    // After a damaged file everything is new; one line has reported that.
    if (held._tag === "Damaged") return
    const launched =
      before === undefined ? [] : [{ _tag: "Launched", hash: entry.launch, previous: before.launch } as const]
    tell.changed(entry.file, config, pins, [...launched, ...changes])
  }

  const standingIn = (config: ServerConfig, catalogue: Pick<Catalogue, "instructions">) => {
    const hash = definitionHasher(config, catalogue)
    const held = config.pin === "off" ? undefined : entries.of(config).held
    const pins = held?._tag === "Pins" ? held.pins : undefined
    return (definition: ToolDefinition): PinCheck =>
      pinCheckOf(pins, config.pin, redactor.redact(definition.name), hash(definition))
  }

  const review: DefinitionLedger["Service"]["review"] = (offers) => {
    const shadowed = makeShadowed(offers)
    for (const { catalogue, config } of offers) {
      if (catalogue !== undefined && config.pin !== "off") look(config, catalogue, shadowed)
    }
    for (const { catalogue } of offers) if (catalogue !== undefined) known.add(catalogue)
    const standings = new Map(
      offers.flatMap(({ catalogue, config }) =>
        catalogue === undefined ? [] : [[config, standingIn(config, catalogue)] as const]
      )
    )
    return (config, definition) => (standings.get(config) ?? standingIn(config, {}))(definition)
  }

  /** Hashing the definitions takes most of a review's time, so the hashes are kept. */
  const prepare: DefinitionLedger["Service"]["prepare"] = (config, catalogue) => {
    const hash = definitionHasher(config, catalogue)
    if (config.pin === "off") return hash
    const { held } = refresh(store, entries.of(config))
    const pins = held._tag === "Pins" ? held.pins : undefined
    return (definition) => {
      hash(definition)
      const { name } = masked(definition)
      const approved = pins?.tools.get(name)?.approved
      if (approved !== undefined) partsOf(approved.definition)
    }
  }

  // ---- in the background -------------------------------------------------------------------------------------------

  /** Notices changes by another process, or by the operator in this one. */
  const heard = Effect.suspend(() => {
    const changed = entries.all().filter((entry) => {
      const { held } = entry
      // This runs every second for all servers: nothing is compared where nothing was read.
      return refresh(store, entry).held !== held && standingKey(entry) !== standingKey({ held })
    })
    return Effect.andThen(tellStored, changed.length > 0 ? standsOtherwise : Effect.void)
  })

  const watched = Effect.suspend(() => {
    for (const entry of entries.all()) if (entry.unsaved !== undefined) later(saveInTime(entry))
    later(tell.rest(false))
    return heard
  })

  const run = (effects: ReadonlyArray<Effect.Effect<void>>) => tryEach(effects, (effect) => effect)

  // Finalizers run last to first: the fibers have ended here.
  yield* Effect.addFinalizer(() =>
    Effect.flatMap(Queue.clear(work), run).pipe(
      Effect.andThen(() => Effect.forEach(entries.all(), save, { discard: true })),
      Effect.andThen(tell.rest(true))
    )
  )
  const done = Effect.uninterruptible(Effect.flatMap(Queue.takeAll(work), run))
  yield* Effect.forkScoped(again("the writing of pins", Queue.peek(work), done))
  yield* Effect.forkScoped(again("looking for changed pins", PINS_WATCH_MS, watched))
  yield* Effect.forkScoped(following("the reading of changed pins", store.changes, () => heard))

  return DefinitionLedger.of({
    review,
    prepare,
    version: () => version,
    changes: SubscriptionRef.changes(versions),
    listChanges: SubscriptionRef.changes(editions),
    list: store.list.pipe(
      Effect.mapError((detail) => new PinsFailed({ detail })),
      Effect.withSpan("DefinitionLedger.list")
    ),
    decide: Effect.fn("DefinitionLedger.decide")((decision: Decision) =>
      keepVerdict(store, decision).pipe(
        Effect.tap((names) => tell.decided(decision, names)),
        Effect.tap(() => heard),
        // Also of a file that no server here has.
        Effect.tap(() => listsOtherwise)
      )
    )
  })
})

/** Stores definitions where `PinStore` says. */
export const layerStored = (
  options: LedgerOptions = {}
): Layer.Layer<DefinitionLedger, never, PinStore | ContentSanitizer | Redactor | AuditLog> =>
  Layer.effect(DefinitionLedger, make(options))

/** The files of the data directory, one for each server and way to start it. */
export const layerStore = (directory = dataDirectory()) => Layer.effect(PinStore, ownStore(directory))

/** Stores definitions in files. */
export const layer = ({ directory, ...options }: Options = {}) =>
  Layer.provide(layerStored(options), layerStore(directory))
