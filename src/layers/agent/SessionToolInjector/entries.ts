/**
 * Keeps our entries in a gateway's configuration up to date: adds missing ones and removes unneeded ones in one change,
 * because a gateway accepts only a few changes per minute. Callers during a change share the next one.
 */
import * as Effect from "effect/Effect"
import * as Schema from "effect/Schema"
import * as Semaphore from "effect/Semaphore"
import { setImmediate } from "node:timers/promises"
import {
  INJECTED_CONFLICT_PAUSE_MS,
  INJECTED_PATCH_PAUSE_MAX_MS,
  INJECTED_PATCH_PAUSE_MS,
  INJECTED_PATCH_TRIES
} from "../../../schemas/defaults/Injection.ts"
import type { GatewayError } from "../../../schemas/agent/GatewayError.ts"
import type { JsonObject } from "../../../schemas/data/Json.ts"
import { ifValid, Members, reader } from "../../../schemas/data/Lenient.ts"
import type { Link } from "../../../services/agent/GatewayLink.ts"
import { leftovers } from "./janitor.ts"
import { ownerOf, type Instance } from "./names.ts"

export interface Entries {
  readonly want: (name: string, entry: JsonObject) => void
  readonly forget: (name: string) => void
  /** Returns when the configuration has what was wanted at the time of the call; returns the names that had to be added. */
  readonly settle: Effect.Effect<ReadonlyArray<string>, GatewayError>
  /** Removes the entries of dead processes with the next change. */
  readonly lookForLeftovers: Effect.Effect<void, GatewayError>
}

interface Configuration {
  /** The base of a change; `undefined` when there is no file yet. */
  readonly hash: string | undefined
  readonly servers: Readonly<Record<string, unknown>>
}

const readAnswer = reader(
  Schema.Struct({
    hash: ifValid(Schema.String),
    config: ifValid(Schema.Struct({ mcp: ifValid(Schema.Struct({ servers: ifValid(Members) })) }))
  })
)

const readConfiguration = (answer: unknown): Configuration => {
  const { config, hash } = readAnswer(answer) ?? {}
  return { hash, servers: config?.mcp?.servers ?? {} }
}

/** Somebody else changed it in the meantime. */
const isConflict = ({ code, detail }: GatewayError): boolean =>
  code === "INVALID_REQUEST" && /changed since last load|base hash/i.test(detail)

/** Too many changes in this minute, a gateway that is starting, or a lost response; repeating a change is harmless. */
const isPassing = ({ code }: GatewayError): boolean => code === "UNAVAILABLE" || code === "LINK_LOST"

/** The next turn of the event loop. */
export const macrotask = Effect.promise(() => setImmediate())

export const makeEntries = Effect.fnUntraced(function* (operator: Link, self: Instance) {
  const wanted = new Map<string, JsonObject>()
  const gone = new Set<string>()
  const turns = yield* Semaphore.make(1)
  let asked = 0
  let settled = 0
  let added: ReadonlyArray<string> = []

  const read = Effect.map(operator.request("config.get", {}), readConfiguration)

  const changesTo = (servers: Configuration["servers"]): ReadonlyArray<readonly [string, JsonObject | null]> => [
    ...[...wanted].filter(([name]) => !Object.hasOwn(servers, name)),
    ...Object.keys(servers)
      .filter((name) => gone.has(name) || (ownerOf(name)?.id === self.id && !wanted.has(name)))
      .map((name) => [name, null] as const)
  ]

  const change = Effect.gen(function* () {
    const { hash, servers } = yield* read
    const changes = changesTo(servers)
    if (changes.length === 0) return []
    yield* operator.request("config.patch", {
      raw: JSON.stringify({ mcp: { servers: Object.fromEntries(changes) } }),
      ...(hash === undefined ? {} : { baseHash: hash })
    })
    for (const [name, entry] of changes) if (entry === null) gone.delete(name)
    return changes.flatMap(([name, entry]) => (entry === null ? [] : [name]))
  })

  /** Other refusals would only be repeated. */
  const attempt = (left: number, pause: number): Effect.Effect<ReadonlyArray<string>, GatewayError> =>
    change.pipe(
      Effect.catchIf(
        (error) => left > 1 && (isConflict(error) || isPassing(error)),
        (error) =>
          Effect.andThen(
            Effect.sleep(isConflict(error) ? INJECTED_CONFLICT_PAUSE_MS : pause),
            attempt(left - 1, Math.min(pause * 2, INJECTED_PATCH_PAUSE_MAX_MS))
          )
      )
    )

  const settle = Effect.suspend(() => {
    const mine = ++asked
    return turns.withPermit(
      Effect.gen(function* () {
        if (settled >= mine) return added
        // Sessions often begin or end together, so wait for more.
        yield* macrotask
        const upTo = asked
        added = yield* attempt(INJECTED_PATCH_TRIES, INJECTED_PATCH_PAUSE_MS)
        settled = upTo
        return added
      })
    )
  })

  return {
    want: (name, entry) => void wanted.set(name, entry),
    forget: (name) => void wanted.delete(name),
    settle,
    lookForLeftovers: Effect.gen(function* () {
      const { servers } = yield* read
      for (const name of yield* leftovers(self, servers)) gone.add(name)
      if (gone.size > 0) yield* settle
    })
  } satisfies Entries
})
