/**
 * OAuth 2.1 for servers over HTTP. The SDK makes the requests to authorization servers; what may be requested and trusted is decided here.
 * Nothing here opens a browser: a program that can passes `LoginOptions.show`.
 */
import * as Effect from "effect/Effect"
import * as Fiber from "effect/Fiber"
import * as Layer from "effect/Layer"
import * as Option from "effect/Option"
import * as Redacted from "effect/Redacted"
import { identityKey, identityOf } from "../../schemas/login/Credentials.ts"
import { AUTHORIZATIONS_KNOWN_MAX, RENEWAL_GRACE_MS } from "../../schemas/defaults/Authorization.ts"
import { LABEL_MAX_CHARS } from "../../schemas/defaults/Texts.ts"
import { canonical } from "../../schemas/data/Json.ts"
import { LoginFailed } from "../../schemas/login/Login.ts"
import { CALLER, DEFAULT_OAUTH, type OAuthConfig } from "../../schemas/login/OAuthConfig.ts"
import { accountOf, whoseOf } from "../../schemas/connection/Isolation.ts"
import { ownerOf, type ServerConfig } from "../../schemas/connection/ServerConfig.ts"
import { Authorizer, type AuthorizedServer, type LoginOptions } from "../../services/login/Authorizer.ts"
import { ContentSanitizer } from "../../services/content/ContentSanitizer.ts"
import { NetworkGuard } from "../../services/connection/NetworkGuard.ts"
import { Redactor } from "../../services/content/Redactor.ts"
import { SecretResolver } from "../../services/secret/SecretResolver.ts"
import { CallerTokens } from "../../services/login/CallerTokens.ts"
import { TokenStore } from "../../services/login/TokenStore.ts"
import { revealing } from "./Authorizer/clients.ts"
import { logIn, type LoginContext } from "./Authorizer/login.ts"
import { logOut } from "./Authorizer/logout.ts"
import { later, refused, type AuthProblem } from "./Authorizer/problem.ts"
import type { Subject } from "./Authorizer/renewal.ts"
import { makeSession, type Session } from "./Authorizer/session.ts"
import { makeSupplied } from "./Authorizer/suppliedAddresses.ts"
import { makeRecent } from "../../schemas/data/Newest.ts"

/** How a person sees the page of a login. */
export interface Options {
  /** Shows a person the login page as soon as a server requires a login. Without it, the error of the server says that a login is needed. */
  readonly show?: LoginOptions["show"] | undefined
}

const writtenIn = ({ enterprise, issuer }: OAuthConfig): ReadonlyArray<string> =>
  [issuer, enterprise?.idpTokenUrl].filter((url) => url !== undefined)

const holdsAuthorization = (headers: Readonly<Record<string, string>>): boolean =>
  Object.keys(headers).some((name) => name.toLowerCase() === "authorization")

/** A server that a client brought along may have any name: it gets no logins of the operator, and no page is shown for it. */
const isBrought = ({ session }: ServerConfig): boolean => session !== undefined

/** Whose account is meant, where each person has their own. */
const accountIn = (config: ServerConfig, { per }: OAuthConfig): string | null | undefined =>
  accountOf(config) === undefined
    ? per === "person"
      ? null
      : undefined
    : (config.person?.name ?? whoseOf(config) ?? "whoever uses it")

const make = Effect.fnUntraced(function* ({ show }: Options) {
  const store = yield* TokenStore
  const resolver = yield* SecretResolver
  const redactor = yield* Redactor
  const sanitizer = yield* ContentSanitizer
  const guard = yield* NetworkGuard
  const callers = Option.getOrUndefined(yield* Effect.serviceOption(CallerTokens))
  const runFork = Effect.runForkWith(yield* Effect.context())
  /** A session that was dropped is made again from the store, through which it and the old one see each other's changes. */
  const recent = makeRecent<Session>(AUTHORIZATIONS_KNOWN_MAX)
  const running = new Set<Fiber.Fiber<unknown, unknown>>()

  const fork = <A, E>(effect: Effect.Effect<A, E>): Fiber.Fiber<A, E> => {
    const fiber = runFork(effect)
    running.add(fiber)
    fiber.addObserver(() => running.delete(fiber))
    return fiber
  }
  // Tokens that a token endpoint has already given are written first.
  yield* Effect.addFinalizer(() =>
    Effect.suspend(() => Fiber.interruptAll([...running])).pipe(Effect.timeoutOption(RENEWAL_GRACE_MS))
  )

  /** Of the person who has the server, and of nobody else. */
  const callerToken = ({ person }: ServerConfig): Effect.Effect<string, AuthProblem> =>
    Effect.suspend(() => {
      if (person === undefined) return Effect.fail(refused("it is for persons, and whoever calls is not known as one"))
      const token = callers?.of(person)
      return token === undefined
        ? Effect.fail(later("its person has sent no token lately"))
        : Effect.succeed(Redacted.value(token))
    })

  const contextOf = ({ config, launch, url }: AuthorizedServer): LoginContext => {
    const { allowPrivate, name: server, timeout } = config
    const oauth = launch.auth ?? DEFAULT_OAUTH
    const owner = ownerOf(config)
    const reveal = revealing(resolver, owner, (value) => void redactor.register(value, owner))
    const subject: Subject = {
      server,
      url,
      oauth,
      account: accountIn(config, oauth),
      supplied: makeSupplied({
        server,
        url,
        allowPrivate,
        written: writtenIn(oauth),
        connectTimeoutMs: timeout,
        guard
      }),
      reveal: (text) => (text === CALLER ? callerToken(config) : reveal(text)),
      forget: resolver.forget(owner),
      tidy: (text) => sanitizer.label(text, LABEL_MAX_CHARS)
    }
    return { subject, identity: identityOf(server, url, accountOf(config)), store }
  }

  const sessionOf = (server: AuthorizedServer): Session => {
    const context = contextOf(server)
    const key = `${identityKey(context.identity)} ${server.config.allowPrivate} ${canonical(context.subject.oauth)}`
    return recent(key, () =>
      makeSession({
        ...context,
        fork,
        logIn:
          show === undefined
            ? undefined
            : (wanted) => Effect.map(logIn(context, { show }, wanted), ({ credentials }) => credentials)
      })
    )
  }

  /** The configuration of a server, if it has logins. */
  const resolve = Effect.fnUntraced(function* (config: ServerConfig): Effect.fn.Return<AuthorizedServer, LoginFailed> {
    const { launch, name: server } = config
    const failed = (detail: string) => new LoginFailed({ server, passing: false, detail })
    if (isBrought(config)) return yield* failed("a client brought it along: it gives it a token, if it has one")
    if (launch.kind === "stdio") return yield* failed("it runs on this machine, and takes its credentials from its env")
    if (holdsAuthorization(launch.headers)) {
      return yield* failed("its configuration holds an Authorization header: remove it, and log in then")
    }
    const text = yield* resolver
      .resolve(ownerOf(config), launch.url)
      .pipe(Effect.mapError(({ message }) => failed(message)))
    const url = URL.parse(Redacted.value(text))
    return url === null ? yield* failed("its url is not an address") : { config, launch, url }
  })

  return Authorizer.of({
    authorization: (server) =>
      isBrought(server.config) || holdsAuthorization(server.launch.headers)
        ? undefined
        : sessionOf(server).authorization,
    login: Effect.fn("Authorizer.login")(function* (config: ServerConfig, options: LoginOptions) {
      const server = yield* resolve(config)
      const { credentials, granted } = yield* logIn(contextOf(server), options)
      sessionOf(server).accept(credentials)
      return granted
    }),
    logout: Effect.fn("Authorizer.logout")(function* (config: ServerConfig) {
      const server = yield* resolve(config)
      const outcome = yield* logOut(contextOf(server))
      sessionOf(server).accept(undefined)
      return outcome
    }),
    isLoggedIn: (config: ServerConfig) =>
      Effect.flatMap(resolve(config), (server) => store.read(contextOf(server).identity)).pipe(
        Effect.map((kept) => kept?.authorization?.tokens !== undefined),
        Effect.orElseSucceed(() => null)
      ),
    loggedIn: Effect.fnUntraced(function* (config: ServerConfig) {
      const server = yield* Effect.result(resolve(config))
      return yield* server._tag === "Failure" ? Effect.never : sessionOf(server.success).loggedIn
    })
  })
})

/** OAuth 2.1 as a client, over `TokenStore`. It never opens a browser. */
export const layer = (
  options: Options = {}
): Layer.Layer<Authorizer, never, TokenStore | SecretResolver | Redactor | ContentSanitizer | NetworkGuard> =>
  Layer.effect(Authorizer, make(options))
