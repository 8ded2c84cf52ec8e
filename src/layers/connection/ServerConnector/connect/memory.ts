/**
 * Remembers what was found out about a launch: that it is a legacy server, that it speaks SSE, that it exits at its start. Findings last a
 * day, also in a small file of the data directory, which contains only hashes. They are hints: a wrong one is forgotten and costs one
 * retry.
 */
import { createHash } from "node:crypto"
import { join } from "node:path"
import * as Clock from "effect/Clock"
import * as Effect from "effect/Effect"
import * as Schema from "effect/Schema"
import type * as Scope from "effect/Scope"
import * as Semaphore from "effect/Semaphore"
import { ERA_CACHE_MS, ERA_MEMORY_MAX } from "../../../../schemas/defaults/Connections.ts"
import { canonical } from "../../../../schemas/data/Json.ts"
import type { ServerConfig } from "../../../../schemas/connection/ServerConfig.ts"
import { jsonFile } from "../../../../system/jsonFile.ts"
import { putNewest } from "../../../../schemas/data/Newest.ts"

/** It answers only `initialize`; it is reached only over SSE; it exits before it has answered anything. */
export type Finding = "legacy" | "sse" | "exits"

const FILE = "known-launches.json"
const KEY_HEX_DIGITS = 32
/** More than the file can have with all of its entries. */
const FILE_MAX_BYTES = ERA_MEMORY_MAX * 128

const Entry = Schema.Struct({
  key: Schema.String.check(Schema.isPattern(/^[0-9a-f]{32}$/)),
  found: Schema.Literals(["legacy", "sse", "exits"]),
  at: Schema.Finite
})
type Entry = typeof Entry.Type
const Kept = Schema.Struct({ version: Schema.Literal(1), launches: Schema.Array(Entry) })
const files = jsonFile(Kept, FILE_MAX_BYTES)

/**
 * The same key for each server that is started or reached in the same way; values of variables and headers do not count. Servers of
 * sessions have keys of their own: with such a value (PATH, for example) a client can put another program behind the operator's
 * command.
 */
export const launchKey = ({
  launch,
  protocol,
  session
}: Pick<ServerConfig, "launch" | "protocol" | "session">): string => {
  const whose = session === undefined ? "operator" : "session"
  const way =
    launch.kind === "stdio"
      ? [launch.command, launch.args, launch.cwd ?? null, Object.keys(launch.env).toSorted()]
      : [
          launch.url,
          Object.keys(launch.headers)
            .map((name) => name.toLowerCase())
            .toSorted()
        ]
  return createHash("sha256")
    .update(canonical([launch.kind, protocol, way, whose]))
    .digest("hex")
    .slice(0, KEY_HEX_DIGITS)
}

export interface LaunchMemory {
  readonly holds: (key: string, found: Finding) => boolean
  readonly note: (key: string, found: Finding) => void
  readonly forget: (key: string) => void
  /** Reads the file, the first time. */
  readonly load: Effect.Effect<void>
  /** Writes what has changed since. A failure is not reported. */
  readonly save: Effect.Effect<void>
}

/** Without a `directory`, findings are kept in this process alone. */
export const makeLaunchMemory = Effect.fnUntraced(function* (
  directory: string | undefined
): Effect.fn.Return<LaunchMemory, never, Scope.Scope> {
  const clock = yield* Clock.Clock
  const known = new Map<string, Entry>()
  /** Changes that are not in the file yet; `undefined` for forgotten entries. */
  let changes = new Map<string, Entry | undefined>()
  const file = directory === undefined ? undefined : join(directory, FILE)

  const isFresh = ({ at }: Entry) => {
    const age = clock.currentTimeMillisUnsafe() - at
    return age >= 0 && age < ERA_CACHE_MS
  }

  // The oldest goes: servers of sessions come and go, and to ask one again costs a round trip.
  const put = (entries: Map<string, Entry>, entry: Entry) => putNewest(entries, entry.key, entry, ERA_MEMORY_MAX)

  const read = async (path: string): Promise<ReadonlyArray<Entry>> =>
    (await files.read(path))?.launches.filter(isFresh) ?? []

  const write = async (path: string, changed: ReadonlyMap<string, Entry | undefined>) => {
    // Other processes write to the file, too.
    const entries = new Map<string, Entry>()
    for (const entry of await read(path).catch(() => [])) put(entries, entry)
    for (const [key, entry] of changed) {
      if (entry === undefined) entries.delete(key)
      else put(entries, entry)
    }
    await files.replace(path, { version: 1, launches: [...entries.values()] })
  }

  const load = yield* Effect.cached(
    file === undefined
      ? Effect.void
      : Effect.tryPromise(() => read(file)).pipe(
          Effect.orElseSucceed((): ReadonlyArray<Entry> => []),
          Effect.map((entries) => {
            for (const entry of entries) if (!changes.has(entry.key)) put(known, entry)
          })
        )
  )

  const one = Semaphore.makeUnsafe(1)
  const save =
    file === undefined
      ? Effect.void
      : one
          .withPermit(
            Effect.suspend(() => {
              if (changes.size === 0) return Effect.void
              const changed = changes
              changes = new Map()
              return Effect.ignore(Effect.tryPromise(() => write(file, changed)))
            })
          )
          .pipe(Effect.uninterruptible)
  yield* Effect.addFinalizer(() => save)

  return {
    holds: (key, found) => {
      const entry = known.get(key)
      return entry !== undefined && entry.found === found && isFresh(entry)
    },
    note: (key, found) => {
      const entry = known.get(key)
      // A known finding is written again only when it has expired.
      if (entry?.found === found && isFresh(entry)) return
      const next = { key, found, at: clock.currentTimeMillisUnsafe() }
      put(known, next)
      changes.set(key, next)
    },
    forget: (key) => {
      if (known.delete(key)) changes.set(key, undefined)
    },
    load,
    save
  }
})
