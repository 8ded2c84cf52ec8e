/**
 * What one server has of tokens: those in memory, and those in the file, which other processes read and write, too. Tells
 * which of both is the newer one.
 */
import * as Clock from "effect/Clock"
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import {
  NO_CREDENTIALS,
  union,
  type Credentials,
  type ServerIdentity,
  type Tokens
} from "../../../schemas/login/Credentials.ts"
import { CREDENTIALS_WATCH_MS, SCOPES_MAX } from "../../../schemas/defaults/Authorization.ts"
import type { TokenStoreFailed } from "../../../schemas/login/TokenStoreFailed.ts"
import type { TokenStore } from "../../../services/login/TokenStore.ts"
import { later, type AuthProblem } from "./problem.ts"
import { fitting, renew, type Renewed, type Subject, type Wanted } from "./renewal.ts"

export interface KeptOptions {
  readonly subject: Subject
  readonly identity: ServerIdentity
  readonly store: TokenStore["Service"]
  /** While tokens are fetched, the file has nothing to say. */
  readonly isFetching: () => boolean
}

export interface Kept {
  readonly now: () => Credentials | undefined
  readonly tokens: () => Tokens | undefined
  /** Looks at the file, but not for each request. */
  readonly look: Effect.Effect<void>
  /** Takes what a login brought; `isProven` unless a request has yet to show that it serves. `undefined` after a logout. */
  readonly take: (given: Credentials | undefined, isProven: boolean) => void
  /** Whether it was given to us, and no request with it was let in yet. */
  readonly isUnproven: (token: Tokens) => boolean
  readonly prove: (token: Tokens) => void
  /** Fetches tokens, alone over all processes, and knows them from then on. */
  readonly renew: (wanted: Wanted) => Effect.Effect<Renewed, AuthProblem>
  /** What a person is asked for at their next login. */
  readonly rememberWanted: (more: ReadonlyArray<string>) => Effect.Effect<void>
  /** Completes with what came into the file that has another token than `failed`. */
  readonly awaitOther: (failed: string | undefined) => Effect.Effect<Credentials>
}

const outOfReach = (error: TokenStoreFailed): AuthProblem => later(error.message)

/** Tells what one file held from what another one does; `undefined` for no file. */
const markOf = (kept: Credentials | undefined): string | undefined =>
  kept === undefined ? undefined : (kept.authorization?.tokens?.accessToken ?? "")

export const makeKept = ({ identity, isFetching, store, subject }: KeptOptions): Kept => {
  let credentials: Credentials | undefined
  let isRead = false
  /** When the file was looked at last. */
  let lookedAt = Number.NEGATIVE_INFINITY
  /** What the file held when what is known could not be written into it. */
  let unwritten: { readonly over: string | undefined } | undefined
  /** The last token that was given to us, until a request with it was let in. */
  let unproven: string | undefined

  const tokens = (): Tokens | undefined => credentials?.authorization?.tokens

  const take = (given: Credentials | undefined, isProven: boolean): void => {
    isRead = true
    unwritten = undefined
    credentials = given
    unproven = isProven ? undefined : tokens()?.accessToken
  }

  // ---- the file ----------------------------------------------------------------------------------------------------

  /** What could not be written is newer than the file, until somebody changed that: a logout is one that holds. */
  const newer = (kept: Credentials | undefined): Credentials | undefined =>
    unwritten !== undefined && tokens() !== undefined && unwritten.over === markOf(kept) ? credentials : kept

  const readAtFirst = store.read(identity).pipe(
    Effect.tap((read) =>
      Effect.sync(() => {
        isRead = true
        credentials = fitting(subject, read)
      })
    ),
    Effect.catch((error) => Effect.logWarning(error.message))
  )

  /** Tokens that are no longer there are not sent any more, and those that came in their place are. */
  const readAgain = Effect.gen(function* () {
    const before = credentials
    const read = yield* Effect.option(store.read(identity))
    // What happened here meanwhile is newer.
    if (Option.isNone(read) || isFetching() || credentials !== before) return
    const kept = newer(read.value)
    if (kept === before) return
    const fresh = fitting(subject, kept)
    if (fresh?.authorization?.tokens?.accessToken === tokens()?.accessToken) return
    take(fresh, true)
  })

  const look = Effect.gen(function* () {
    const now = yield* Clock.currentTimeMillis
    if (isRead && now - lookedAt < CREDENTIALS_WATCH_MS) return
    lookedAt = now
    yield* isRead ? readAgain : readAtFirst
  })

  const awaitOther = Effect.fnUntraced(function* (failed: string | undefined) {
    while (true) {
      const changed = yield* store.watch(identity)
      const kept = yield* Effect.option(store.read(identity))
      const fresh = fitting(subject, Option.getOrUndefined(kept))
      const found = fresh?.authorization?.tokens
      if (fresh !== undefined && found !== undefined && found.accessToken !== failed) return fresh
      yield* changed
    }
  })

  const rememberWanted = (more: ReadonlyArray<string>) =>
    more.length === 0
      ? Effect.void
      : store
          .modify(identity, (kept = NO_CREDENTIALS) => {
            const wanted = union(kept.wanted, more).slice(0, SCOPES_MAX)
            return Effect.succeed({ value: undefined, keep: { ...kept, wanted } })
          })
          .pipe(Effect.ignore)

  // ---- renewing ----------------------------------------------------------------------------------------------------

  const renewOnce = (wanted: Wanted): Effect.Effect<Renewed, AuthProblem> => {
    let done: Renewed | undefined
    let over: string | undefined
    let isBehind = false
    return store
      .modify(identity, (kept) => {
        over = markOf(kept)
        const known = newer(kept)
        return renew(
          subject,
          wanted
        )(known).pipe(
          Effect.tap(({ keep, value }) =>
            Effect.sync(() => {
              done = value
              isBehind = known !== kept && keep === undefined
            })
          )
        )
      })
      .pipe(
        Effect.tap(() => Effect.sync(() => (unwritten = isBehind ? unwritten : undefined))),
        Effect.catchTag("TokenStoreFailed", (error) => {
          if (done === undefined) return Effect.fail(outOfReach(error))
          if (done.outcome === undefined) {
            return Effect.fail(later(`${error.message}; with "issuer" in "auth" it need not be written down`))
          }
          // It was given all the same, and serves as long as this process lives.
          unwritten = { over }
          return Effect.as(Effect.logWarning(`${error.message}; the login will be lost with this process`), done)
        })
      )
  }

  /** Once more, where it was written down first who gets our secrets. */
  const renewUnderLock = (wanted: Wanted): Effect.Effect<Renewed, AuthProblem> =>
    renewOnce(wanted).pipe(
      Effect.filterOrElse(
        ({ outcome }) => outcome !== undefined,
        () => renewOnce(wanted)
      )
    )

  return {
    now: () => credentials,
    tokens,
    look,
    take,
    isUnproven: ({ accessToken }) => accessToken === unproven,
    prove: ({ accessToken }) => {
      if (unproven === accessToken) unproven = undefined
    },
    renew: (wanted) =>
      renewUnderLock(wanted).pipe(
        Effect.tap((renewed) =>
          Effect.sync(() => {
            isRead = true
            credentials = renewed.credentials
            if (renewed.isNew) unproven = tokens()?.accessToken
          })
        )
      ),
    rememberWanted,
    awaitOther
  }
}
