/**
 * Conversations that were deleted here and may still be at the gateway. Each is a small file in the data directory until the
 * gateway has deleted it, so that a gateway that is not connected learns of it at the next connection of any process. Only
 * conversations that somebody deleted here are deleted there.
 */
import * as Effect from "effect/Effect"
import * as Schedule from "effect/Schedule"
import type * as Scope from "effect/Scope"
import * as Schema from "effect/Schema"
import * as Semaphore from "effect/Semaphore"
import { readdir, stat } from "node:fs/promises"
import { join } from "node:path"
import {
  GATEWAY_DELETED_MAX,
  GATEWAY_DELETED_MAX_BYTES,
  GATEWAY_KEPT_MS,
  GATEWAY_RETRY_CAP_MS
} from "../../../../schemas/defaults/Gateway.ts"
import { isPassing, type GatewayError } from "../../../../schemas/agent/GatewayError.ts"
import { AgentId } from "../../../../schemas/agent/GatewayFrames.ts"
import { ifValid, reader } from "../../../../schemas/data/Lenient.ts"
import type { GatewayLink } from "../../../../services/agent/GatewayLink.ts"
import { fileSystemSays, makeOwnDirectory, readOwn, removeFile, replaceFile } from "../../../../system/ownFiles.ts"
import { following } from "../../../../system/rounds.ts"
import { conversationId, keyOfId } from "./keys.ts"
import { putNewest } from "../../../../schemas/data/Newest.ts"

export interface Deleted {
  /** Remembers it until the gateway has deleted it. */
  readonly remember: (sessionKey: string) => Effect.Effect<void>
  readonly has: (sessionKey: string) => Effect.Effect<boolean>
  /** Makes the gateway delete it, if it is remembered; returns when that is done. */
  readonly settle: (sessionKey: string) => Effect.Effect<void, GatewayError>
}

export interface DeletedOptions {
  readonly link: GatewayLink["Service"]
  readonly directory: string
  readonly namespace: string
  /** The gateway's agent. Default: the gateway's default agent. */
  readonly agent: string | undefined
}

/** `undefined`: ask the gateway. */
type Agent = string | undefined

const ENDING = ".json"
const ID = /^[0-9a-z-]{8,64}$/
const RETRIES = 10

const readKept = reader(Schema.fromJsonString(Schema.Struct({ agent: ifValid(AgentId) })))

const agentIn = (text: string): Agent => readKept(text)?.agent

const one = (count: number) => (count === 1 ? "1 conversation" : `${count} conversations`)

export const makeDeleted = Effect.fnUntraced(function* ({
  agent,
  directory,
  link: { address, id: gateway, operator },
  namespace
}: DeletedOptions): Effect.fn.Return<Deleted, never, Scope.Scope> {
  const folder = join(directory, "gateway", "deleted")
  const pathOf = (id: string) => join(folder, `${gateway}-${id}${ENDING}`)
  /** Entries that could not be written. */
  const held = new Map<string, Agent>()
  const turns = yield* Semaphore.make(1)
  let defaultAgent: Agent

  // ---- files -------------------------------------------------------------------------------------------------------

  const attempt = <A>(work: () => Promise<A>) => Effect.tryPromise({ try: work, catch: fileSystemSays })

  const names = Effect.map(
    Effect.orElseSucceed(
      attempt(() => readdir(folder)),
      (): Array<string> => []
    ),
    (found) => found.filter((name) => name.endsWith(ENDING))
  )

  /** Gateways that never return must not fill the disk: the oldest entries are dropped. */
  const makeRoom = Effect.gen(function* () {
    const found = yield* names
    if (found.length < GATEWAY_DELETED_MAX) return
    const ages = yield* Effect.forEach(found, (name) =>
      attempt(() => stat(join(folder, name))).pipe(
        Effect.map(({ mtimeMs }) => ({ name, mtimeMs })),
        Effect.orElseSucceed(() => ({ name, mtimeMs: 0 }))
      )
    )
    const oldest = ages.toSorted((a, b) => a.mtimeMs - b.mtimeMs).slice(0, found.length - GATEWAY_DELETED_MAX + 1)
    yield* Effect.forEach(oldest, ({ name }) => attempt(() => removeFile(join(folder, name))), { discard: true })
    yield* Effect.logWarning(
      `${one(oldest.length)} that could not be deleted at a gateway for long will stay there: too many are waiting`
    )
  })

  const write = (id: string, whose: Agent) =>
    Effect.gen(function* () {
      yield* attempt(async () => makeOwnDirectory(folder))
      yield* makeRoom
      yield* attempt(() => replaceFile(pathOf(id), JSON.stringify({ agent: whose })))
    }).pipe(
      Effect.catch((why) => {
        putNewest(held, id, whose, GATEWAY_DELETED_MAX)
        return Effect.logWarning(
          `that a conversation was deleted was not stored, and is forgotten when this program ends: ${why}`
        )
      })
    )

  /** `undefined` when it is not to be deleted. */
  const find = (id: string): Effect.Effect<{ readonly agent: Agent } | undefined> =>
    Effect.suspend(() => {
      if (held.has(id)) return Effect.succeed({ agent: held.get(id) })
      return attempt(() => readOwn(pathOf(id), GATEWAY_DELETED_MAX_BYTES)).pipe(
        Effect.map((kept) => (kept === undefined ? undefined : { agent: agentIn(kept.text) })),
        // A file that others could have written is ignored.
        Effect.orElseSucceed(() => undefined)
      )
    })

  const drop = (id: string) =>
    Effect.andThen(
      Effect.sync(() => void held.delete(id)),
      Effect.ignore(attempt(() => removeFile(pathOf(id))))
    )

  const waiting = Effect.map(names, (found) => {
    const ids = found.flatMap((name) =>
      name.startsWith(`${gateway}-`) ? [name.slice(gateway.length + 1, -ENDING.length)] : []
    )
    return [...new Set([...held.keys(), ...ids.filter((id) => ID.test(id))])]
  })

  // ---- the gateway -------------------------------------------------------------------------------------------------

  /** Whether there was something to delete. One at a time, so that a late deletion does not hit a new conversation. */
  const deleteThere = (id: string) =>
    turns.withPermit(
      Effect.gen(function* () {
        const found = yield* find(id)
        if (found === undefined) return false
        const whose = found.agent ?? (yield* operator.hello).defaultAgent
        yield* operator.request(
          "sessions.delete",
          { key: keyOfId(whose, namespace, id) },
          { timeoutMs: GATEWAY_KEPT_MS }
        )
        yield* drop(id)
        return true
      })
    )

  /** Fails when the rest has to wait. A refused deletion does not stop the others. */
  const deleteAll = Effect.gen(function* () {
    let [count, refusals, why] = [0, 0, ""]
    for (const id of yield* waiting) {
      const isDone = yield* deleteThere(id).pipe(
        Effect.catchIf(
          (error) => !isPassing(error),
          ({ detail }) =>
            Effect.sync(() => {
              refusals++
              why = detail
              return false
            })
        )
      )
      if (isDone) count++
    }
    if (refusals > 0) {
      yield* Effect.logWarning(
        `${one(refusals)} that had been deleted here: still at ${address}, which does not delete them: ${why}`
      )
    }
    if (count > 0) yield* Effect.logInfo(`${one(count)} that had been deleted here: now deleted at ${address} as well`)
  }).pipe(
    Effect.retry({
      while: ({ code }) => code !== "LINK_DOWN" && code !== "LINK_LOST" && code !== "LINK_REFUSED",
      schedule: Schedule.spaced(GATEWAY_RETRY_CAP_MS),
      times: RETRIES
    }),
    // The next connection tries again.
    Effect.ignore
  )

  yield* following("the deletion of conversations at the gateway", operator.connected, (hello) => {
    defaultAgent = hello.defaultAgent
    return deleteAll
  }).pipe(Effect.forkScoped)

  return {
    remember: (sessionKey) => Effect.suspend(() => write(conversationId(sessionKey), agent ?? defaultAgent)),
    has: (sessionKey) => Effect.map(find(conversationId(sessionKey)), (found) => found !== undefined),
    settle: Effect.fnUntraced(function* (sessionKey: string) {
      const id = conversationId(sessionKey)
      // Conversations without a pending deletion do not wait for others.
      if ((yield* find(id)) !== undefined) yield* deleteThere(id)
    })
  }
})
