/**
 * Our entries in a gateway's configuration, brought to what they should be: what is wanted and not there is added, what is
 * ours and not wanted any more is taken away, all of it in one change, since a gateway takes few of them a minute. Who asks
 * while a change is under way shares the next one.
 */
import * as Effect from "effect/Effect"
import * as Schema from "effect/Schema"
import * as Semaphore from "effect/Semaphore"
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
  /** Returns when the configuration is as it should be by what was wanted at the call; gives what had to be added. */
  readonly settle: Effect.Effect<ReadonlyArray<string>, GatewayError>
  /** Has what processes that are gone left behind taken away with the next change. */
  readonly lookForLeftovers: Effect.Effect<void, GatewayError>
}

interface Configuration {
  /** What a change is based on; `undefined` where there is no file yet. */
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

/** Somebody else changed it meanwhile. */
const isConflict = ({ code, detail }: GatewayError): boolean =>
  code === "INVALID_REQUEST" && /changed since last load|base hash/i.test(detail)

/** Too many changes in this minute, or a gateway that is starting; or the answer was lost, and what is done twice is done. */
const isPassing = ({ code }: GatewayError): boolean => code === "UNAVAILABLE" || code === "LINK_LOST"

const macrotask = Effect.callback<void>((resume) => {
  const timer = setImmediate(() => resume(Effect.void))
  return Effect.sync(() => clearImmediate(timer))
})

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

  /** A change that is refused for what it is would be refused again. */
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
        // Sessions end together, and begin together.
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
