/**
 * The page for people, behind the listener for MCP clients: `/page/` beside `/mcp`. Whoever has no session there sees a page with the issuers at which
 * they can log in. A browser that begins a login is the only one that can end it, and each answer counts once.
 */
import * as Clock from "effect/Clock"
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as FiberSet from "effect/FiberSet"
import * as Option from "effect/Option"
import * as Semaphore from "effect/Semaphore"
import type { IncomingMessage, ServerResponse } from "node:http"
import { randomBytes } from "node:crypto"
import type { Duplex } from "node:stream"
import { putNewest } from "../../../schemas/data/Newest.ts"
import {
  CLIENT_STREAMS_CHECK_MS,
  REFUSALS_LOGGED_MS,
  REFUSALS_REMEMBERED_MAX
} from "../../../schemas/defaults/Clients.ts"
import {
  PEOPLE_FORM_MAX_CHARS,
  PEOPLE_LOGIN_MS,
  PEOPLE_LOGINS_AT_ONCE,
  PEOPLE_MESSAGE_MAX_BYTES,
  PEOPLE_REQUESTS_IN_ALL_MAX,
  PEOPLE_REQUESTS_MAX,
  PEOPLE_SOCKETS_EACH_MAX,
  PEOPLE_SOCKETS_MAX,
  PEOPLE_USED_MAX
} from "../../../schemas/defaults/Page.ts"
import { NOT_AGREED } from "../../../schemas/login/LoginAnswer.ts"
import type { KeptLogin, PageLogins } from "../../../services/login/TokenVerifier.ts"
import type { PeopleOptions, PeoplePage } from "../../../services/control/ControlPage.ts"
import { PersonalHandlers } from "../../../services/control/PersonalHandlers.ts"
import { Visitor } from "../../../services/control/Visitor.ts"
import { Personal } from "../../../schemas/control/Personal.ts"
import { makeTransportOf } from "../../../system/control/transport.ts"
import { SAFE_HEADERS } from "../../../system/httpServer.ts"
import { ownCookies } from "../../../system/ownCookies.ts"
import { answerPage, formOf, onwardPage, type Page, same } from "../../../system/plainPage.ts"
import { following } from "../../../system/rounds.ts"
import { makeSeldom } from "../../../system/seldom.ts"
import { makeSealer, SEAL_KEY_BYTES } from "../../../system/sealed.ts"
import { cookiesNamed, isFromElsewhere, isNavigation, wantsPage } from "./admission.ts"
import { refuse, refuseSocket, sendFile } from "./answers.ts"
import type { PageFiles } from "./files.ts"
import { elsewherePage, failedPage, nothingPage, notLetInPage, signInPage } from "./peoplePages.ts"
import { makePeopleSessions, type PeopleSession } from "./peopleSessions.ts"
import { makeSockets } from "./sockets.ts"

const SIGN_IN = "mcp_live_page_login"
const NOT_OURS = "This request comes from another page."
const NOT_NOW = "It cannot be checked now whether you are still logged in. Try again later."

interface Begun extends KeptLogin {
  readonly until: number
}

const DISAGREED = "You did not agree to the login."
const FAILED = "You could not be logged in. The log of the gateway says why."

/** For the caller's Scope, with the handlers for people. */
export const openPeople = Effect.fnUntraced(function* (
  { key = randomBytes(SEAL_KEY_BYTES), logouts, resource, verifier, visitOf }: PeopleOptions,
  logins: PageLogins,
  files: PageFiles
) {
  const clock = yield* Clock.Clock
  const now = () => clock.currentTimeMillisUnsafe()
  const run = yield* FiberSet.makeRuntime()
  const own = new URL(resource)
  const base = `${own.pathname.replace(/\/mcp\/?$/, "").replace(/\/$/, "")}/page/`
  const callback = `${own.origin}${base}callback`
  const cookies = ownCookies(new URL(base, own))
  const signIn = cookies.nameOf(SIGN_IN)
  const begun = makeSealer(key, "login on the page")
  /** Answers that were taken. */
  const used = new Map<string, true>()
  const isDue = makeSeldom(REFUSALS_LOGGED_MS, REFUSALS_REMEMBERED_MAX, now)
  const exchanges = Semaphore.makeUnsafe(PEOPLE_LOGINS_AT_ONCE)
  const sessions = makePeopleSessions({ key, cookies, logouts, verifier, visitOf, now })
  const transport = yield* makeTransportOf(Personal, {
    eachMax: PEOPLE_REQUESTS_MAX,
    inAllMax: PEOPLE_REQUESTS_IN_ALL_MAX
  }).pipe(Effect.provideContext(yield* PersonalHandlers))
  yield* Effect.addFinalizer(() => Effect.sync(transport.hangUp))
  const sockets = yield* makeSockets({
    take: transport.take,
    clock,
    max: PEOPLE_SOCKETS_MAX,
    checkMs: CLIENT_STREAMS_CHECK_MS,
    maxBytes: PEOPLE_MESSAGE_MAX_BYTES
  })
  const leftElsewhere = (digest: string) =>
    Effect.sync(() => {
      sessions.left(digest)
      sockets.end(digest)
    })
  if (logouts !== undefined)
    yield* Effect.forkScoped(following("the end of pages that were left elsewhere", logouts.ended, leftElsewhere))

  // ---- logging in --------------------------------------------------------------------------------------------------

  /** Anybody can begin a login that fails. */
  const warn = (words: string) => (isDue(words) ? Effect.logWarning(words) : Effect.void)

  const ofLogin = (value: string, seconds: number): string =>
    `${signIn}=${value}; ${cookies.attributes}; SameSite=Lax; Max-Age=${seconds}`

  const clearLogin = ofLogin("", 0)

  const began = Effect.fnUntraced(function* (incoming: IncomingMessage, response: ServerResponse) {
    const form = yield* formOf(incoming, PEOPLE_FORM_MAX_CHARS)
    const issuer = logins.issuers[Number(form?.get("issuer") ?? Number.NaN)]
    if (issuer === undefined) return answerPage(response, failedPage(400, "There is no such issuer."))
    const found = yield* Effect.result(logins.begin(issuer, callback))
    if (found._tag === "Failure") {
      yield* warn(`somebody could not log in on the page: ${found.failure}`)
      return answerPage(response, failedPage(502, "The issuer cannot be reached now. Try again later."))
    }
    const { kept, url } = found.success
    const sealed = begun.seal(JSON.stringify({ ...kept, until: now() + PEOPLE_LOGIN_MS } satisfies Begun))
    // The issuer sends the browser back here, which is a request from another site.
    answerPage(response, onwardPage(url), [ofLogin(sealed, PEOPLE_LOGIN_MS / 1_000)])
  })

  /** The login that this browser has begun with this state, once. */
  const expected = (incoming: IncomingMessage, params: URLSearchParams): Begun | undefined => {
    const states = params.getAll("state")
    for (const cookie of cookiesNamed(signIn, incoming)) {
      const text = begun.open(cookie)
      const kept = text === undefined ? undefined : (JSON.parse(text) as Begun)
      if (kept === undefined || states.length !== 1 || !same(states[0], kept.state)) continue
      if (kept.until <= now() || used.has(kept.state)) return undefined
      putNewest(used, kept.state, true, PEOPLE_USED_MAX)
      return kept
    }
    return undefined
  }

  const returned = Effect.fnUntraced(function* (params: URLSearchParams, incoming: IncomingMessage) {
    const kept = expected(incoming, params)
    const nothing: ReadonlyArray<string> = []
    if (kept === undefined) return { page: elsewherePage(base), cookies: nothing }
    const exchanged = yield* exchanges.withPermitsIfAvailable(1)(Effect.result(logins.finish(kept, callback, params)))
    if (Option.isNone(exchanged)) {
      yield* warn("too many people log in on the page at once")
      return {
        page: failedPage(503, "Too many people log in now. Try again in a moment.", base),
        cookies: [clearLogin]
      }
    }
    const found = exchanged.value
    if (found._tag === "Failure") {
      yield* warn(`somebody could not log in on the page: ${found.failure}`)
      return {
        page: failedPage(403, found.failure === NOT_AGREED ? DISAGREED : FAILED, base),
        cookies: [clearLogin]
      }
    }
    const { token, verified } = found.success
    const begunSession = sessions.begin(token, verified)
    if (begunSession === undefined) {
      yield* warn(`${verified.identity.person?.name} was not let in on the page: no rule of clients.rules matches`)
      return { page: notLetInPage(), cookies: [clearLogin] }
    }
    return { page: onwardPage(base, "Go on to the page"), cookies: [clearLogin, ...begunSession] }
  })

  // ---- with a session ----------------------------------------------------------------------------------------------

  const withSession = (
    incoming: IncomingMessage,
    found: (session: PeopleSession | undefined) => void,
    notNow: () => void
  ): void => void run(Effect.match(sessions.find(incoming), { onSuccess: found, onFailure: notNow }))

  const show = (name: string, incoming: IncomingMessage, response: ServerResponse): void => {
    const isRoot = name === ""
    // A browser that follows a link of another site leaves our cookie out, so it comes again from here.
    if (isRoot && isFromElsewhere(incoming) && isNavigation(incoming)) {
      return void response
        .writeHead(200, {
          ...SAFE_HEADERS,
          "referrer-policy": "no-referrer",
          refresh: `0; url=${base}`,
          "content-length": "0"
        })
        .end()
    }
    const shown = (session: PeopleSession | undefined) => {
      if (response.destroyed) return
      const file = session === undefined ? undefined : files.get(name)
      if (file !== undefined) return sendFile(response, file)
      if (session === undefined && isRoot) return answerPage(response, signInPage(logins.issuers))
      const status = session === undefined ? 401 : 404
      return wantsPage(incoming) ? answerPage(response, nothingPage(status, base)) : refuse(response, status, "")
    }
    withSession(incoming, shown, () => refuse(response, 503, NOT_NOW, { "retry-after": "1" }))
  }

  const signOut = (incoming: IncomingMessage, response: ServerResponse): void => {
    const answer = () => response.writeHead(204, { ...SAFE_HEADERS, "set-cookie": [...sessions.cleared] }).end()
    run(Effect.map(sessions.leave(incoming, sockets.end), answer))
  }

  const placeIn = ({ url = "" }: IncomingMessage) => {
    const [target = "", query = ""] = url.split("?", 2)
    // A proxy may have taken the beginning of the path away.
    const beginning = [base, "/page/"].find((one) => `${target}/` === one || target.startsWith(one))
    return beginning === undefined
      ? undefined
      : { name: target.slice(beginning.length), query, isBare: `${target}/` === beginning }
  }

  /** Somebody has left the rest of the address out. */
  const leadsOn = (incoming: IncomingMessage, response: ServerResponse): boolean => {
    const target = incoming.url?.split("?", 1)[0]
    if ((target !== "/" && `${target}page/` !== base) || !wantsPage(incoming)) return false
    response.writeHead(303, { ...SAFE_HEADERS, location: base, "content-length": "0" }).end()
    return true
  }

  const isOfPage = (incoming: IncomingMessage): boolean =>
    incoming.headers.origin === own.origin && !isFromElsewhere(incoming)

  const reply = (
    page: Effect.Effect<{ readonly page: Page; readonly cookies: ReadonlyArray<string> }>,
    response: ServerResponse
  ) => void run(Effect.map(page, ({ cookies, page: found }) => answerPage(response, found, cookies)))

  const page: PeoplePage = {
    url: own.origin + base,
    issuers: logins.issuers,
    answers: (incoming, response) => {
      const place = placeIn(incoming)
      if (place === undefined) return leadsOn(incoming, response)
      const { isBare, name, query } = place
      const { headers, method = "" } = incoming
      const isEntrance = name === "" || name === "callback"
      const isStrange = headers.origin !== undefined && headers.origin !== own.origin
      if (isStrange || (isFromElsewhere(incoming) && !(isEntrance && isNavigation(incoming))))
        refuse(response, 403, NOT_OURS)
      else if (isBare) response.writeHead(308, { ...SAFE_HEADERS, location: base, "content-length": "0" }).end()
      else if (method === "POST") {
        if (!isOfPage(incoming)) refuse(response, 403, NOT_OURS)
        else if (name === "sign-in") run(began(incoming, response))
        else if (name === "sign-out") signOut(incoming, response)
        else refuse(response, 405, "", { allow: "GET, HEAD" })
      } else if (method !== "GET" && method !== "HEAD") refuse(response, 405, "", { allow: "GET, HEAD, POST" })
      else if (name === "callback") {
        // Whoever looks ahead must not use the answer up.
        if (method === "HEAD") refuse(response, 405, "", { allow: "GET" })
        else reply(returned(new URLSearchParams(query), incoming), response)
      } else show(name, incoming, response)
      return true
    },
    upgrades: (incoming: IncomingMessage, socket: Duplex, head: Buffer, admit) => {
      const place = placeIn(incoming)
      if (place === undefined) return false
      if (!isOfPage(incoming)) refuseSocket(socket, "403 Forbidden")
      else if (place.name !== "control") refuseSocket(socket, "404 Not Found")
      else {
        const notNow = () => refuseSocket(socket, "503 Service Unavailable")
        const opened = (session: PeopleSession | undefined) => {
          if (session === undefined) return refuseSocket(socket, "401 Unauthorized")
          const isFull = sockets.isFull() || sockets.countOf(session.whose) >= PEOPLE_SOCKETS_EACH_MAX
          if (isFull || !admit(session.whose)) return notNow()
          return sockets.accept(incoming, socket, head, {
            id: session.digest,
            whose: session.whose,
            until: session.until,
            isStillGood: session.isStillGood,
            context: Context.make(Visitor, session.visit)
          })
        }
        withSession(incoming, opened, notNow)
      }
      return true
    }
  }
  return page
})
