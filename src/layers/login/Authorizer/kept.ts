/**
 * The tokens of one server, in memory and in the file, which other processes read and write too. Decides which of both are newer.
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
  /** While tokens are fetched, the file does not count. */
  readonly isFetching: () => boolean
}

export interface Kept {
  readonly now: () => Credentials | undefined
  readonly tokens: () => Tokens | undefined
  /** Checks the file, but not for each request. */
  readonly look: Effect.Effect<void>
  /** Takes the tokens of a login; `undefined` after a logout. `isProven` is false if no request has shown yet that they work. */
  readonly take: (given: Credentials | undefined, isProven: boolean) => void
  /** Whether the token was given to this process, and no request with it has succeeded yet. */
  readonly isUnproven: (token: Tokens) => boolean
  readonly prove: (token: Tokens) => void
  /** Fetches tokens, one process at a time, and uses them from then on. */
  readonly renew: (wanted: Wanted) => Effect.Effect<Renewed, AuthProblem>
  /** The scopes to request at the next login. */
  readonly rememberWanted: (more: ReadonlyArray<string>) => Effect.Effect<void>
  /** Completes when the file has another token than `failed`. */
  readonly awaitOther: (failed: string | undefined) => Effect.Effect<Credentials>
}

const outOfReach = (error: TokenStoreFailed): AuthProblem => later(error.message)

/** Identifies the content of the file; `undefined` without a file. */
const markOf = (kept: Credentials | undefined): string | undefined =>
  kept === undefined ? undefined : (kept.authorization?.tokens?.accessToken ?? "")

export const makeKept = ({ identity, isFetching, store, subject }: KeptOptions): Kept => {
  let credentials: Credentials | undefined
  let isRead = false
  /** When the file was checked last. */
  let lookedAt = Number.NEGATIVE_INFINITY
  /** The content of the file when newer tokens could not be written. */
  let unwritten: { readonly over: string | undefined } | undefined
  /** The last token that was given to this process, until a request with it succeeds. */
  let unproven: string | undefined

  const tokens = (): Tokens | undefined => credentials?.authorization?.tokens

  const take = (given: Credentials | undefined, isProven: boolean): void => {
    isRead = true
    unwritten = undefined
    credentials = given
    unproven = isProven ? undefined : tokens()?.accessToken
  }

  // ---- the file ----------------------------------------------------------------------------------------------------

  /** Tokens that could not be written are newer than the file, until another process changes it: a logout counts. */
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

  /** Tokens that are gone from the file are no longer sent; new ones in the file are used. */
  const readAgain = Effect.gen(function* () {
    const before = credentials
    const read = yield* Effect.option(store.read(identity))
    // What has happened in this process meanwhile is newer.
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
          // The token is valid nevertheless, and is used as long as this process runs.
          unwritten = { over }
          return Effect.as(Effect.logWarning(`${error.message}; the login will be lost with this process`), done)
        })
      )
  }

  /** Repeats the work if the authorization server had to be recorded first. */
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
