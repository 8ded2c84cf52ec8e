/**
 * What one server has of tokens in this process: those that are known, the renewal that is under way, and why the last one
 * failed. Whoever needs a token while one is fetched waits for the same one; what was begun is brought to its end though
 * nobody waits for it any more. What another process does to them, a logout above all, holds here within a moment.
 */
import * as Clock from "effect/Clock"
import * as Effect from "effect/Effect"
import * as Fiber from "effect/Fiber"
import * as Option from "effect/Option"
import { NO_CREDENTIALS, union, type Credentials, type ServerIdentity, type Tokens } from "../../schemas/Credentials.ts"
import {
  AUTHORIZATION_RETRY_MS,
  CREDENTIALS_WATCH_MS,
  LOGIN_AGAIN_MS,
  LOGIN_WAIT_MS,
  SCOPES_MAX
} from "../../schemas/Defaults.ts"
import type { LoginFailed } from "../../schemas/Login.ts"
import type { AuthRequired } from "../../schemas/McpError.ts"
import type { TokenStoreFailed } from "../../schemas/TokenStoreFailed.ts"
import type { Authorization } from "../../services/Authorizer.ts"
import type { TokenStore } from "../../services/TokenStore.ts"
import type { Challenge } from "./challenge.ts"
import { openDpop, type Dpop } from "./dpop.ts"
import { AuthProblem, later, loginNeeded } from "./problem.ts"
import { fitting, isFresh, renew, type Renewed, type Subject, type Wanted } from "./renewal.ts"
import { makeRights } from "./rights.ts"
import { through } from "./through.ts"

export interface SessionOptions {
  readonly subject: Subject
  readonly identity: ServerIdentity
  readonly store: TokenStore["Service"]
  /** Runs what must not end with whoever asked for it. */
  readonly fork: <A, E>(effect: Effect.Effect<A, E>) => Fiber.Fiber<A, E>
  /** Has a person log in, where there is one to be asked. */
  readonly logIn: ((wanted: Wanted) => Effect.Effect<Credentials, LoginFailed>) | undefined
}

export interface Session {
  readonly authorization: Authorization
  /** Takes up what a login brought, and forgets past failures; `undefined` after a logout. */
  readonly accept: (credentials: Credentials | undefined) => void
  /** Completes when there is a token that the last failure did not know. */
  readonly loggedIn: Effect.Effect<void>
}

type Refusal = Pick<AuthRequired, "remedy" | "detail">

export const makeSession = ({ fork, identity, logIn, store, subject }: SessionOptions): Session => {
  let credentials: Credentials | undefined
  let isRead = false
  /** When the file was looked at last. */
  let lookedAt = Number.NEGATIVE_INFINITY
  let flight: Fiber.Fiber<Tokens, AuthProblem> | undefined
  let problem: { readonly error: AuthProblem; readonly at: number; readonly wanted: Wanted } | undefined
  /** The last token that was given to us, until a request with it was let in. */
  let unproven: string | undefined
  /** When a person was asked last, and did not log in. */
  let deniedAt = Number.NEGATIVE_INFINITY
  const rights = makeRights()
  let dpop: { readonly key: unknown; readonly opened: Promise<Dpop> } | undefined

  const tokensNow = (): Tokens | undefined => credentials?.authorization?.tokens

  const take = (given: Credentials | undefined): void => {
    isRead = true
    unwritten = undefined
    credentials = given
  }

  const outOfReach = (error: TokenStoreFailed): AuthProblem => later(error.message)

  // ---- what is known -----------------------------------------------------------------------------------------------

  /** What the file held when what is known could not be written into it. */
  let unwritten: { readonly over: string | undefined } | undefined

  /** Tells what one file held from what another one does; `undefined` for no file. */
  const markOf = (kept: Credentials | undefined): string | undefined =>
    kept === undefined ? undefined : (kept.authorization?.tokens?.accessToken ?? "")

  /** What could not be written is newer than the file, until somebody changed that: a logout is one that holds. */
  const newer = (kept: Credentials | undefined): Credentials | undefined =>
    unwritten !== undefined && tokensNow() !== undefined && unwritten.over === markOf(kept) ? credentials : kept

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
    if (Option.isNone(read) || flight !== undefined || credentials !== before) return
    const kept = newer(read.value)
    if (kept === before) return
    const fresh = fitting(subject, kept)
    if (fresh?.authorization?.tokens?.accessToken === tokensNow()?.accessToken) return
    take(fresh)
    unproven = undefined
  })

  const look = Effect.gen(function* () {
    const now = yield* Clock.currentTimeMillis
    if (isRead && now - lookedAt < CREDENTIALS_WATCH_MS) return
    lookedAt = now
    yield* isRead ? readAgain : readAtFirst
  })

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

  const unattended = (wanted: Wanted): Effect.Effect<Tokens, AuthProblem> =>
    renewUnderLock(wanted).pipe(
      Effect.tap((renewed) =>
        Effect.sync(() => {
          isRead = true
          if (renewed.isNew) unproven = renewed.credentials?.authorization?.tokens?.accessToken
          credentials = renewed.credentials
        })
      ),
      Effect.flatMap(({ outcome }) =>
        outcome === undefined || outcome instanceof AuthProblem
          ? Effect.fail(outcome ?? later("what is kept of it is being changed"))
          : Effect.succeed(outcome)
      )
    )

  /** What a person is asked for at their next login. */
  const rememberWanted = (more: ReadonlyArray<string>) =>
    more.length === 0
      ? Effect.void
      : store
          .modify(identity, (kept = NO_CREDENTIALS) => {
            const wanted = union(kept.wanted, more).slice(0, SCOPES_MAX)
            return Effect.succeed({ value: undefined, keep: { ...kept, wanted } })
          })
          .pipe(Effect.ignore)

  const afterLogin = Effect.fnUntraced(function* (
    wanted: Wanted,
    why: AuthProblem
  ): Effect.fn.Return<Tokens, AuthProblem> {
    const started = yield* Clock.currentTimeMillis
    if (logIn === undefined || started - deniedAt < LOGIN_AGAIN_MS) {
      yield* rememberWanted(wanted.more)
      return yield* why
    }
    return yield* logIn(wanted).pipe(
      Effect.tapError(() => Effect.map(Clock.currentTimeMillis, (now) => (deniedAt = now))),
      Effect.mapError(({ detail }) => loginNeeded(detail)),
      Effect.flatMap((given) => {
        take(given)
        const tokens = tokensNow()
        unproven = tokens?.accessToken
        return tokens === undefined ? Effect.fail(why) : Effect.succeed(tokens)
      })
    )
  })

  const obtain = (wanted: Wanted): Effect.Effect<Tokens, AuthProblem> =>
    Effect.uninterruptible(unattended(wanted)).pipe(
      Effect.catchTag("AuthProblem", (why) => (why.remedy === "login" ? afterLogin(wanted, why) : Effect.fail(why)))
    )

  const start = (wanted: Wanted): Fiber.Fiber<Tokens, AuthProblem> => {
    const started = fork(
      obtain(wanted).pipe(
        Effect.tap(() => Effect.sync(() => (problem = undefined))),
        Effect.tapError((error) => note(error, wanted)),
        Effect.ensuring(Effect.sync(() => (flight = undefined)))
      )
    )
    if (started.pollUnsafe() === undefined) flight = started
    return started
  }

  const note = (error: AuthProblem, wanted: Wanted) =>
    Effect.map(Clock.currentTimeMillis, (at) => {
      problem = { error, at, wanted }
    })

  const serves = ({ failed, more }: Wanted, now: number): Tokens | undefined => {
    const known = tokensNow()
    if (known === undefined || known.accessToken === failed?.accessToken || !isFresh(known, now)) return undefined
    return more.every((scope) => known.scopes.includes(scope)) ? known : undefined
  }

  /** One renewal at a time: who comes while one is under way waits for it, and looks whether it served them, too. */
  const need = Effect.fnUntraced(function* (wanted: Wanted): Effect.fn.Return<Tokens | undefined> {
    const started = yield* Clock.currentTimeMillis
    let joined = false
    while (true) {
      const now = yield* Clock.currentTimeMillis
      const known = serves(wanted, now)
      if (known !== undefined) return known
      // What failed a moment ago is not tried again at once for each request that comes.
      if (flight === undefined && !joined && problem !== undefined && now - problem.at < AUTHORIZATION_RETRY_MS) {
        return undefined
      }
      const isOwn = flight === undefined
      const left = LOGIN_WAIT_MS - (now - started)
      const got = yield* Effect.timeoutOption(Effect.result(Fiber.join(flight ?? start(wanted))), left)
      if (Option.isNone(got)) {
        yield* note(later("a login, or a renewal of one, is under way"), wanted)
        return undefined
      }
      if (got.value._tag === "Failure") return undefined
      if (isOwn) return got.value.success
      joined = true
    }
  })

  // ---- for requests ------------------------------------------------------------------------------------------------

  const wanting = (
    failed: Tokens | undefined,
    challenge: Challenge | undefined,
    more: ReadonlyArray<string>
  ): Wanted => ({ failed, challenge, more, isUnproven: failed !== undefined && failed.accessToken === unproven })

  const run = <A>(effect: Effect.Effect<A>): Promise<A> => Effect.runPromise(Fiber.join(fork(effect)))

  /** Also renewed before it runs out; when that fails, the old one may still do. */
  const present = Effect.gen(function* () {
    yield* look
    const tokens = tokensNow()
    if (tokens === undefined || isFresh(tokens, yield* Clock.currentTimeMillis)) return tokens
    if (tokens.refreshToken === undefined && subject.oauth.grant === "authorization_code") return tokens
    return (yield* need(wanting(tokens, undefined, []))) ?? tokensNow()
  })

  const widened = (failed: Tokens | undefined, challenge: Challenge) =>
    Effect.gen(function* () {
      const more = challenge.scopes.filter((scope) => failed?.scopes.includes(scope) !== true)
      // Nothing to ask for, or it was asked for and not given: the server would go on for ever.
      if (!rights.ask(more, yield* Clock.currentTimeMillis)) return yield* Effect.undefined
      const tokens = yield* need(wanting(failed, challenge, union(failed?.scopes ?? [], more)))
      if (tokens !== undefined && more.every((scope) => tokens.scopes.includes(scope))) rights.given(more)
      return tokens
    })

  const openedDpop = async (): Promise<Dpop | undefined> => {
    const key = credentials?.dpopKey
    if (key === undefined) return undefined
    if (dpop?.key !== key) dpop = { key, opened: openDpop(key) }
    return dpop.opened
  }

  const authorization: Authorization = {
    through: through(
      {
        token: () => run(present),
        renewed: (failed, challenge) => run(need(wanting(failed, challenge, []))),
        widened: (failed, challenge) => run(widened(failed, challenge)),
        served: ({ accessToken }) => {
          if (unproven === accessToken) unproven = undefined
        },
        dpop: openedDpop
      },
      subject.url.origin
    ),
    refusal: (status): Refusal => {
      if (problem === undefined || problem.wanted.more.length > 0 !== (status === 403)) return {}
      const { detail, remedy } = problem.error
      return remedy === "none" ? {} : { remedy, detail }
    }
  }

  const accept = (given: Credentials | undefined): void => {
    take(given)
    unproven = undefined
    problem = undefined
    rights.forget()
  }

  const loggedIn = Effect.gen(function* () {
    const failed = problem?.wanted.failed?.accessToken
    while (true) {
      const changed = yield* store.watch(identity)
      const kept = yield* Effect.option(store.read(identity))
      const fresh = fitting(subject, Option.getOrUndefined(kept))
      const tokens = fresh?.authorization?.tokens
      if (tokens !== undefined && tokens.accessToken !== failed) return accept(fresh)
      yield* changed
    }
  })

  return { authorization, accept, loggedIn }
}
