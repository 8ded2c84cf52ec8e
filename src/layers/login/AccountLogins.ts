/**
 * The pages at which persons connect their accounts: `/login/ID`, which says for whom and where and needs a click, and `/login/callback`, to
 * which issuers and authorization servers send the browser back. A page belongs to one person and one server, cannot be guessed, works once, and
 * ends after some minutes. The browser that clicked is the only one that can go on. Where the issuer has `login`, it has to be the person's.
 */
import * as Clock from "effect/Clock"
import * as Deferred from "effect/Deferred"
import * as Effect from "effect/Effect"
import * as FiberSet from "effect/FiberSet"
import * as Layer from "effect/Layer"
import { createHmac, randomBytes, randomUUID } from "node:crypto"
import type { IncomingMessage, ServerResponse } from "node:http"
import { accountOf, whoseOf } from "../../schemas/connection/Isolation.ts"
import type { ServerConfig } from "../../schemas/connection/ServerConfig.ts"
import {
  ACCOUNT_FORM_MAX_CHARS,
  ACCOUNT_PAGE_MS,
  ACCOUNT_PAGES_EACH_MAX,
  ACCOUNT_PAGES_MAX
} from "../../schemas/defaults/Clients.ts"
import { LABEL_MAX_CHARS } from "../../schemas/defaults/Texts.ts"
import { LoginFailed } from "../../schemas/login/Login.ts"
import { AccountLogins } from "../../services/login/AccountLogins.ts"
import { Authorizer } from "../../services/login/Authorizer.ts"
import type { TokenVerifier } from "../../services/login/TokenVerifier.ts"
import { ContentSanitizer } from "../../services/content/ContentSanitizer.ts"
import { ownCookies } from "../../system/ownCookies.ts"
import { answerPage as answer, formOf, onwardPage, type Page, same } from "../../system/plainPage.ts"
import { COOKIE, cookieIn } from "./AccountLogins/browsers.ts"
import { askPage, donePage, failedPage, gonePage } from "./AccountLogins/html.ts"

export interface Options {
  /** The address of this gateway as browsers know it: its pages are beside `/mcp`. */
  readonly resource: string
  /** Where persons prove who they are, if clients log in. */
  readonly login?: TokenVerifier["Service"]["login"] | undefined
  /** In a fleet: a name that tells this node. */
  readonly nameOf?: ((random: string) => string) | undefined
  /** What is done when an account is connected, before anybody is told. */
  readonly connected?: ((server: ServerConfig) => Effect.Effect<void>) | undefined
}

interface Pending {
  readonly id: string
  readonly name: string
  readonly server: ServerConfig
  readonly whose: string
  /** The click gives the time anew. */
  until: number
  readonly done: Deferred.Deferred<void, LoginFailed>
  /** The cookie of the browser that clicked. */
  browser: string | undefined
}

/** What is done with what comes back for a state. */
interface Expected {
  readonly pending: Pending
  readonly take: (params: URLSearchParams) => Effect.Effect<Page>
}

/** In a fleet, a node and its life come first. */
const ID = /^[A-Za-z0-9_.~-]{43,512}$/

const random = (): string => randomBytes(32).toString("base64url")

const make = Effect.fnUntraced(function* ({
  connected = () => Effect.void,
  login,
  nameOf = (name) => name,
  resource
}: Options) {
  const authorizer = yield* Authorizer
  const { label } = yield* ContentSanitizer
  const clock = yield* Clock.Clock
  const run = yield* FiberSet.makeRuntime()
  const own = new URL(resource)
  const base = `${own.origin}${own.pathname.replace(/\/mcp\/?$/, "").replace(/\/$/, "")}/login/`
  const callback = `${base}callback`
  const { attributes, nameOf: cookieNamed } = ownCookies(new URL(base))
  const cookie = cookieNamed(COOKIE)
  const secret = randomBytes(32)
  const pages = new Map<string, Pending>()
  const states = new Map<string, Expected>()

  const failed = (server: string, detail: string, passing = true) => new LoginFailed({ server, passing, detail })
  const tokenFor = (id: string, browser: string): string =>
    createHmac("sha256", secret).update(`${id}\n${browser}`).digest("base64url")
  const accountKey = (server: ServerConfig): string => JSON.stringify([server.name, accountOf(server) ?? null])

  /** Nothing is left of it: neither its address nor its states work any more. */
  const over = (pending: Pending): void => {
    pages.delete(pending.id)
    for (const [state, expected] of states) if (expected.pending === pending) states.delete(state)
  }
  const fail = (pending: Pending, error: LoginFailed): Effect.Effect<void> => {
    over(pending)
    return Effect.asVoid(Deferred.fail(pending.done, error))
  }

  /** When its time is over. */
  const ended = (pending: Pending): Effect.Effect<void> =>
    Effect.suspend(() => {
      const left = pending.until - clock.currentTimeMillisUnsafe()
      return left > 0
        ? Effect.andThen(Effect.sleep(left), ended(pending))
        : fail(pending, failed(pending.server.name, "nobody connected the account in time"))
    })

  const opened = Effect.fnUntraced(function* (server: ServerConfig): Effect.fn.Return<Pending, LoginFailed> {
    const now = clock.currentTimeMillisUnsafe()
    const key = accountKey(server)
    const own = [...pages.values()].filter((one) => accountKey(one.server) === key)
    // Whoever is given an address has time to open it.
    const known = own.find((one) => one.browser === undefined && one.until - now > ACCOUNT_PAGE_MS / 2)
    if (known !== undefined) return known
    // Somebody began several times, and went away.
    if (own.length >= ACCOUNT_PAGES_EACH_MAX) yield* fail(own[0]!, failed(server.name, "another login took its place"))
    if (pages.size >= ACCOUNT_PAGES_MAX)
      return yield* failed(server.name, "too many logins are waiting: try again later")
    const pending: Pending = {
      id: nameOf(random()),
      name: randomUUID(),
      server,
      whose: label(server.person?.name ?? whoseOf(server) ?? "the user of this gateway", LABEL_MAX_CHARS),
      until: now + ACCOUNT_PAGE_MS,
      done: Deferred.makeUnsafe(),
      browser: undefined
    }
    pages.set(pending.id, pending)
    run(Effect.raceFirst(ended(pending), Effect.exit(Deferred.await(pending.done))))
    return pending
  })

  // ---- the login at the server -------------------------------------------------------------------------------------

  /** Begins it, and gives the page that leads there. It goes on when the browser comes back. */
  const atServer = Effect.fnUntraced(function* (pending: Pending): Effect.fn.Return<Page> {
    const { server, whose } = pending
    const onward = yield* Deferred.make<Page>()
    const ended = yield* Deferred.make<Page>()
    const redirect = {
      redirectUri: callback,
      stateOf: nameOf,
      answered: (state: string) => {
        const params = Deferred.makeUnsafe<URLSearchParams>()
        states.set(state, {
          pending,
          take: (given) => Effect.andThen(Deferred.succeed(params, given), Deferred.await(ended))
        })
        return Deferred.await(params)
      }
    }
    const show = ({ url }: { readonly url: string }) => Effect.asVoid(Deferred.succeed(onward, onwardPage(url)))
    run(
      authorizer.login(server, { show, redirect }).pipe(
        Effect.matchEffect({
          onSuccess: () => {
            over(pending)
            return connected(server).pipe(
              Effect.andThen(Deferred.succeed(pending.done, undefined)),
              Effect.as(donePage(server.name, whose))
            )
          },
          onFailure: (error) => Effect.as(fail(pending, error), failedPage(502, error.message))
        }),
        Effect.flatMap((page) => Effect.andThen(Deferred.succeed(ended, page), Deferred.succeed(onward, page)))
      )
    )
    return yield* Deferred.await(onward)
  })

  // ---- the person --------------------------------------------------------------------------------------------------

  const STRANGER =
    "You are logged in as somebody else. This address was made for another person: nothing was connected."

  /** The browser has to be the person's, where that can be found out. */
  const begun = Effect.fnUntraced(function* (pending: Pending): Effect.fn.Return<Page> {
    const { person } = pending.server
    const proving = person === undefined ? undefined : login?.(person.issuer, callback, nameOf)
    if (proving === undefined) return yield* atServer(pending)
    const proof = yield* Effect.result(proving)
    if (proof._tag === "Failure") {
      yield* fail(pending, failed(pending.server.name, proof.failure))
      return failedPage(502, `It cannot be found out who you are: ${label(proof.failure, LABEL_MAX_CHARS)}.`)
    }
    const { state, subject, url } = proof.success
    states.set(state, {
      pending,
      take: Effect.fnUntraced(function* (params) {
        const found = yield* Effect.result(subject(params))
        if (found._tag === "Failure") {
          yield* fail(pending, failed(pending.server.name, found.failure))
          return failedPage(403, `You could not be logged in: ${label(found.failure, LABEL_MAX_CHARS)}.`)
        }
        if (found.success !== person!.subject) {
          yield* fail(pending, failed(pending.server.name, "somebody else opened the page", false))
          yield* Effect.logWarning(`[${pending.server.name}] somebody else opened the page for ${pending.whose}`)
          return failedPage(403, STRANGER)
        }
        return yield* atServer(pending)
      })
    })
    return onwardPage(url)
  })

  // ---- requests ----------------------------------------------------------------------------------------------------

  const waiting = (id: string): Pending | undefined => {
    const pending = pages.get(id)
    return pending !== undefined && pending.browser === undefined && pending.until > clock.currentTimeMillisUnsafe()
      ? pending
      : undefined
  }

  /** Until the click, and from then on. */
  const cookieOf = (value: string): string =>
    `${cookie}=${value}; ${attributes}; SameSite=Lax; Max-Age=${(2 * ACCOUNT_PAGE_MS) / 1000}`

  const shown = (pending: Pending, incoming: IncomingMessage, response: ServerResponse): void => {
    const { launch, name, person } = pending.server
    // Two pages in one browser do not disturb each other.
    const browser = cookieIn(cookie, incoming) ?? random()
    const page = askPage({
      server: label(name, LABEL_MAX_CHARS),
      host: launch.kind === "stdio" ? "" : label(URL.parse(launch.url)?.host ?? "", LABEL_MAX_CHARS),
      whose: pending.whose,
      proves: person !== undefined && login?.(person.issuer, callback) !== undefined,
      token: tokenFor(pending.id, browser)
    })
    answer(response, page, [cookieOf(browser)])
  }

  const clicked = Effect.fnUntraced(function* (id: string, incoming: IncomingMessage) {
    const browser = cookieIn(cookie, incoming)
    const form = yield* formOf(incoming, ACCOUNT_FORM_MAX_CHARS)
    const pending = waiting(id)
    const isPage = incoming.headers.origin === own.origin
    if (pending === undefined) return gonePage()
    if (!isPage || browser === undefined || !same(form?.get("token") ?? undefined, tokenFor(id, browser))) {
      return failedPage(
        403,
        "Your browser did not send back what this page gave it. Open the address again, with cookies allowed."
      )
    }
    pending.browser = browser
    pending.until = clock.currentTimeMillisUnsafe() + ACCOUNT_PAGE_MS
    return yield* begun(pending)
  })

  const returned = Effect.fnUntraced(function* (params: URLSearchParams, incoming: IncomingMessage) {
    const given = params.getAll("state")
    const state = given.length === 1 ? given[0]! : ""
    const expected = states.get(state)
    // A stranger's browser uses nothing up.
    if (expected === undefined || !same(cookieIn(cookie, incoming), expected.pending.browser)) return gonePage()
    states.delete(state)
    return yield* expected.take(params)
  })

  const path = new URL(base).pathname
  /** A proxy may have taken the beginning of the path away. */
  const placeIn = ({ url = "" }: IncomingMessage) => {
    const [target = "", query = ""] = url.split("?", 2)
    const beginning = target.startsWith(path) ? path : "/login/"
    return target.startsWith(beginning) ? { id: target.slice(beginning.length), query } : undefined
  }

  return AccountLogins.of({
    origin: own.origin,
    cookie,
    page: Effect.fn("AccountLogins.page")(function* (server: ServerConfig) {
      const pending = yield* opened(server)
      return { url: base + pending.id, id: pending.name, connected: Deferred.await(pending.done) }
    }),
    nameIn: (incoming) => {
      const { id, query } = placeIn(incoming) ?? {}
      return id === "callback" ? (new URLSearchParams(query).get("state") ?? undefined) : id
    },
    answers: (incoming, response) => {
      const place = placeIn(incoming)
      if (place === undefined) return false
      const { id, query } = place
      const { method } = incoming
      const reply = (page: Effect.Effect<Page>) => void run(Effect.map(page, (found) => answer(response, found)))
      if (id === "callback" && method === "GET") reply(returned(new URLSearchParams(query), incoming))
      else if (!ID.test(id) || (method !== "GET" && method !== "POST")) answer(response, gonePage())
      else if (method === "POST") reply(clicked(id, incoming))
      else {
        const pending = waiting(id)
        if (pending === undefined) answer(response, gonePage())
        else shown(pending, incoming, response)
      }
      return true
    }
  })
})

export const layer = (options: Options): Layer.Layer<AccountLogins, never, Authorizer | ContentSanitizer> =>
  Layer.effect(AccountLogins, make(options))
