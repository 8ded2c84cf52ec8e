/**
 * Credentials in the database, for one node at a time: one renewal is enough for all. What could not be written because the database was away
 * is written when it is back, if nobody has written something else meanwhile: a refresh token that was used up must not stay there.
 */
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import type * as Redacted from "effect/Redacted"
import * as Stream from "effect/Stream"
import { CREDENTIALS_LOCK_WAIT_MS, CREDENTIALS_WATCH_MS } from "../../schemas/defaults/Authorization.ts"
import { OWED_RETRY_MS, REMEMBERED_MAX, REMEMBERED_UNHEARD_MS } from "../../schemas/defaults/FleetStores.ts"
import { credentialKey } from "../../schemas/fleet/CredentialKey.ts"
import type { DatabaseAway } from "../../schemas/fleet/FleetError.ts"
import { identityIn, identityKey, type ServerIdentity } from "../../schemas/login/Credentials.ts"
import { Database } from "../../services/fleet/Database.ts"
import { Leases } from "../../services/fleet/Leases.ts"
import { CredentialStore, type HeldCredentials } from "../../services/login/CredentialStore.ts"
import { makeHeardCache } from "../../system/heardCache.ts"
import { again, tryEach } from "../../system/rounds.ts"

const SUBJECT = "credentials"

/** What is stored; the revision 0 stands for nothing. */
interface Stored {
  readonly revision: number
  readonly content: string | undefined
}

type Revision = Pick<Stored, "revision">

interface Owed extends Stored {
  /** What it is written over. */
  readonly over: number
}

const NOTHING: Stored = { revision: 0, content: undefined }

const wordsOf = (error: DatabaseAway | string): string => (typeof error === "string" ? error : error.message)

export interface Options {
  /** The secret that all nodes have: it makes the key that encrypts credentials. */
  readonly secret: Redacted.Redacted<string>
}

const make = Effect.fnUntraced(function* ({ secret }: Options) {
  const { fleetId, heard, isAway, run, say, states, transaction } = yield* Database
  const leases = yield* Leases
  const known = yield* makeHeardCache<Stored>({
    heard: heard(SUBJECT),
    states,
    unheardMs: REMEMBERED_UNHEARD_MS,
    max: REMEMBERED_MAX
  })
  const owed = new Map<string, Owed>()

  const fromDatabase = (key: string): Effect.Effect<Stored, DatabaseAway> =>
    run(
      "credentials cannot be read",
      (sql) => sql<{ revision: number; content: string }>`
        select revision::float8 as revision, content from mcp_live.credentials where key = ${key}`
    ).pipe(Effect.map(([row]) => row ?? NOTHING))

  /** The new revision; `undefined` if something else is there than what it is written over. */
  const put = (key: string, over: number, content: string | undefined) =>
    transaction("credentials cannot be stored", (sql) =>
      Effect.gen(function* () {
        const isOver = sql`key = ${key} and revision = ${over}::bigint`
        const [written] =
          content === undefined
            ? yield* sql<Revision>`delete from mcp_live.credentials where ${isOver} returning 0::float8 as revision`
            : over === 0
              ? yield* sql<Revision>`
                  insert into mcp_live.credentials (key, revision, content)
                  values (${key}, nextval('mcp_live.revisions'), ${content})
                  on conflict (key) do nothing returning revision::float8 as revision`
              : yield* sql<Revision>`
                  update mcp_live.credentials set revision = nextval('mcp_live.revisions'), content = ${content}
                  where ${isOver} returning revision::float8 as revision`
        if (written !== undefined) {
          yield* say(sql, SUBJECT, key)
          return written.revision
        }
        // The answer to an earlier attempt may have been lost.
        const [there] = yield* sql<Revision & { content: string }>`
          select revision::float8 as revision, content from mcp_live.credentials where key = ${key}`
        return there?.content === content ? (there?.revision ?? 0) : undefined
      })
    ).pipe(Effect.tap(() => Effect.sync(() => known.forget(key))))

  const now = (key: string): Effect.Effect<Stored, DatabaseAway> =>
    Effect.suspend(() => {
      const mine = owed.get(key)
      return mine === undefined ? fromDatabase(key) : Effect.succeed(mine)
    })

  const read = (key: string): Effect.Effect<Stored, DatabaseAway> =>
    Effect.suspend(() => {
      const there = owed.get(key) ?? known.get(key)
      return there === undefined
        ? Effect.map(known.load(key, fromDatabase(key)), (stored) => stored ?? NOTHING)
        : Effect.succeed(there)
    })

  // ---- what is owed ------------------------------------------------------------------------------------------------

  const pay = Effect.suspend(() =>
    isAway()
      ? Effect.void
      : tryEach([...owed], ([key, one]) =>
          put(key, one.over, one.content).pipe(
            Effect.tap((written) =>
              Effect.suspend(() => {
                if (owed.get(key) === one) owed.delete(key)
                return written === undefined
                  ? Effect.logWarning("fleet: credentials were not stored, because another node has stored others")
                  : Effect.void
              })
            ),
            Effect.ignore
          )
        )
  )

  yield* Effect.forkScoped(again("fleet: the storing of credentials", OWED_RETRY_MS, pay))

  // ---- holding -----------------------------------------------------------------------------------------------------

  const held = (key: string): HeldCredentials => {
    let over: number | undefined

    const write = Effect.fnUntraced(function* (content: string | undefined) {
      const before = over ?? (yield* Effect.mapError(now(key), wordsOf)).revision
      if (before === 0 && content === undefined) return
      const written = yield* put(key, before, content).pipe(
        Effect.catch(() =>
          Effect.sync(() => {
            owed.set(key, { revision: before, content, over: owed.get(key)?.over ?? before })
            return before
          })
        )
      )
      if (written === undefined) return yield* Effect.fail("another node has stored others meanwhile")
      over = written
    })

    return {
      read: now(key).pipe(
        Effect.tap(({ revision }) => Effect.sync(() => (over = revision))),
        Effect.map(({ content }) => content),
        Effect.mapError(wordsOf)
      ),
      write,
      remove: write(undefined)
    }
  }

  const holdOf = (identity: ServerIdentity) => {
    const key = identityKey(identity)
    return leases
      .hold(`credentials ${key}`, "credentials cannot be changed", CREDENTIALS_LOCK_WAIT_MS)
      .pipe(Effect.as(held(key)), Effect.mapError(wordsOf))
  }

  const saidOf = (key: string) =>
    heard(SUBJECT).pipe(
      Stream.filter((change) => change._tag === "said" && change.text === key),
      Stream.take(1),
      Stream.runDrain,
      Effect.timeoutOption(CREDENTIALS_WATCH_MS)
    )

  return CredentialStore.of({
    key: credentialKey(secret, fleetId),
    read: (identity) =>
      read(identityKey(identity)).pipe(
        Effect.map(({ content }) => content),
        Effect.mapError(wordsOf)
      ),
    hold: holdOf,
    watch: (identity) => {
      const key = identityKey(identity)
      const revision = now(key).pipe(
        Effect.map((stored) => stored.revision),
        Effect.orElseSucceed(() => undefined)
      )
      return Effect.map(revision, (before) =>
        Effect.gen(function* () {
          while (true) {
            const present = yield* revision
            if (present !== undefined && present !== before) return
            yield* saidOf(key)
          }
        })
      )
    },
    ofAccount: (account) =>
      run(
        "credentials cannot be read",
        (sql) => sql<{ content: string }>`
          select content from mcp_live.credentials where position(${JSON.stringify(account)}::text in content) > 0`
      ).pipe(
        Effect.map((rows) =>
          rows.flatMap(({ content }) => identityIn(content) ?? []).filter((identity) => identity.account === account)
        ),
        Effect.mapError(wordsOf)
      ),
    // The fleet's secret makes the key: nobody makes one.
    holdKey: Effect.void
  })
})

/** Credentials in the database of the fleet. */
export const layer = (options: Options): Layer.Layer<CredentialStore, never, Database | Leases> =>
  Layer.effect(CredentialStore, make(options))
