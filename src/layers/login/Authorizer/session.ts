/**
 * The tokens for the requests of one server: the renewal that is running, and why the last one failed. All requests that need a token meanwhile
 * wait for the same renewal, which runs to its end even if nobody waits any more. Changes by another process (kept.ts), especially a logout, take
 * effect within a moment.
 */
import * as Clock from "effect/Clock"
import * as Effect from "effect/Effect"
import * as Fiber from "effect/Fiber"
import * as Latch from "effect/Latch"
import * as Option from "effect/Option"
import { union, type Credentials, type ServerIdentity, type Tokens } from "../../../schemas/login/Credentials.ts"
import { AUTHORIZATION_RETRY_MS, LOGIN_AGAIN_MS, LOGIN_WAIT_MS } from "../../../schemas/defaults/Authorization.ts"
import type { LoginFailed } from "../../../schemas/login/Login.ts"
import type { AuthRequired } from "../../../schemas/connection/HttpError.ts"
import type { Authorization } from "../../../services/login/Authorizer.ts"
import type { TokenStore } from "../../../services/login/TokenStore.ts"
import type { Challenge } from "./challenge.ts"
import { openDpop, type Dpop } from "./dpop.ts"
import { makeKept } from "./kept.ts"
import { makePace } from "./pace.ts"
import { AuthProblem, later, loginNeeded } from "./problem.ts"
import { isFresh, type Subject, type Wanted } from "./renewal.ts"
import { makeRights } from "./rights.ts"
import { through } from "./through.ts"

export interface SessionOptions {
  readonly subject: Subject
  readonly identity: ServerIdentity
  readonly store: TokenStore["Service"]
  /** Runs work that must not end with its caller. */
  readonly fork: <A, E>(effect: Effect.Effect<A, E>) => Fiber.Fiber<A, E>
  /** Asks a person to log in, if there is one. */
  readonly logIn: ((wanted: Wanted) => Effect.Effect<Credentials, LoginFailed>) | undefined
}

export interface Session {
  readonly authorization: Authorization
  /** Takes the tokens of a login and forgets past failures; `undefined` after a logout. */
  readonly accept: (credentials: Credentials | undefined) => void
  /** Completes when there is another token than that of the last failure. */
  readonly loggedIn: Effect.Effect<void>
}

type Refusal = Pick<AuthRequired, "remedy" | "detail" | "said" | "account">

export const makeSession = ({ fork, identity, logIn, store, subject }: SessionOptions): Session => {
  let flight: Fiber.Fiber<Tokens, AuthProblem> | undefined
  let problem: { readonly error: AuthProblem; readonly at: number; readonly wanted: Wanted } | undefined
  /** When a person was last asked and did not log in. */
  let deniedAt = Number.NEGATIVE_INFINITY
  const rights = makeRights()
  const pace = makePace()
  /** Releases whoever waits for a login, which this process has seen. */
  const accepted = Latch.makeUnsafe()
  let dpop: { readonly key: unknown; readonly opened: Promise<Dpop> } | undefined

  const kept = makeKept({ subject, identity, store, isFetching: () => flight !== undefined })

  // ---- renewing ----------------------------------------------------------------------------------------------------

  const unattended = (wanted: Wanted): Effect.Effect<Tokens, AuthProblem> =>
    kept.renew(wanted).pipe(
      Effect.tap(({ isNew }) => (isNew ? pace.note : Effect.void)),
      Effect.flatMap(({ outcome }) =>
        outcome === undefined || outcome instanceof AuthProblem
          ? Effect.fail(outcome ?? later("what is kept of it is being changed"))
          : Effect.succeed(outcome)
      )
    )

  const afterLogin = Effect.fnUntraced(function* (
    wanted: Wanted,
    why: AuthProblem
  ): Effect.fn.Return<Tokens, AuthProblem> {
    const started = yield* Clock.currentTimeMillis
    if (logIn === undefined || started - deniedAt < LOGIN_AGAIN_MS) {
      yield* kept.rememberWanted(wanted.more)
      return yield* why
    }
    return yield* logIn(wanted).pipe(
      Effect.tapError(() => Effect.map(Clock.currentTimeMillis, (now) => (deniedAt = now))),
      Effect.mapError(({ detail, said }) => loginNeeded(detail, said)),
      Effect.flatMap((given) => {
        kept.take(given, false)
        const tokens = kept.tokens()
        return tokens === undefined ? Effect.fail(why) : Effect.succeed(tokens)
      })
    )
  })

  const obtain = (wanted: Wanted): Effect.Effect<Tokens, AuthProblem> =>
    pace.turn.pipe(
      Effect.andThen(Effect.uninterruptible(unattended(wanted))),
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
    const known = kept.tokens()
    if (known === undefined || known.accessToken === failed?.accessToken || !isFresh(known, now)) return undefined
    return more.every((scope) => known.scopes.includes(scope)) ? known : undefined
  }

  /** One renewal at a time: a caller that comes meanwhile waits for it, and checks whether its result is enough. */
  const need = Effect.fnUntraced(function* (wanted: Wanted): Effect.fn.Return<Tokens | undefined> {
    const started = yield* Clock.currentTimeMillis
    let joined = false
    while (true) {
      const now = yield* Clock.currentTimeMillis
      const known = serves(wanted, now)
      if (known !== undefined) return known
      // A renewal that failed a moment ago is not repeated for each request.
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
  ): Wanted => ({ failed, challenge, more, isUnproven: failed !== undefined && kept.isUnproven(failed) })

  const run = <A>(effect: Effect.Effect<A>): Promise<A> => Effect.runPromise(Fiber.join(fork(effect)))

  /** The token is renewed before it expires; if that fails, the old one may still be valid. */
  const present = Effect.gen(function* () {
    yield* kept.look
    const tokens = kept.tokens()
    if (tokens === undefined || isFresh(tokens, yield* Clock.currentTimeMillis)) return tokens
    if (tokens.refreshToken === undefined && subject.oauth.grant === "authorization_code") return tokens
    return (yield* need(wanting(tokens, undefined, []))) ?? kept.tokens()
  })

  const widened = (failed: Tokens | undefined, challenge: Challenge) =>
    Effect.gen(function* () {
      const more = challenge.scopes.filter((scope) => failed?.scopes.includes(scope) !== true)
      // The scopes were requested before and refused: the server would ask without end.
      if (!rights.ask(more, yield* Clock.currentTimeMillis)) return yield* Effect.undefined
      const tokens = yield* need(wanting(failed, challenge, union(failed?.scopes ?? [], more)))
      if (tokens !== undefined && more.every((scope) => tokens.scopes.includes(scope))) rights.given(more)
      return tokens
    })

  const openedDpop = async (): Promise<Dpop | undefined> => {
    const key = kept.now()?.dpopKey
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
        served: kept.prove,
        dpop: openedDpop
      },
      subject.url.origin
    ),
    refusal: (status): Refusal => {
      if (problem === undefined || problem.wanted.more.length > 0 !== (status === 403)) return {}
      const { detail, remedy, said } = problem.error
      if (remedy === "none") return {}
      const { account } = subject
      const whose = remedy === "login" && account !== undefined ? { account } : {}
      return { remedy, detail, ...whose, ...(said === undefined ? {} : { said }) }
    }
  }

  const accept = (given: Credentials | undefined): void => {
    kept.take(given, true)
    problem = undefined
    rights.forget()
    if (given === undefined) return
    accepted.openUnsafe()
    accepted.closeUnsafe()
  }

  /** Another process is noticed within a second; a login in this one at once. */
  const loggedIn = Effect.suspend(() => kept.awaitOther(problem?.wanted.failed?.accessToken)).pipe(
    Effect.map(accept),
    Effect.raceFirst(accepted.await)
  )

  return { authorization, accept, loggedIn }
}
