/**
 * Sessions of people on the page. A session is the access token of its person, in a cookie that only we can read: so any node of a fleet knows it, none
 * outlives its token, and each use is a check of that token like that of any client. It says when it began, because none lasts for ever.
 */
import * as Effect from "effect/Effect"
import type { IncomingMessage } from "node:http"
import { putNewest } from "../../../schemas/data/Newest.ts"
import {
  PEOPLE_COOKIE_CHARS,
  PEOPLE_COOKIES_MAX,
  PEOPLE_ENDED_MAX,
  PEOPLE_SESSION_MAX_MS
} from "../../../schemas/defaults/Page.ts"
import type { DatabaseAway } from "../../../schemas/fleet/FleetError.ts"
import type { PeopleOptions } from "../../../services/control/ControlPage.ts"
import type { PersonVisit } from "../../../services/control/Visitor.ts"
import type { Verified } from "../../../services/login/TokenVerifier.ts"
import { digestOf } from "../../../system/httpServer.ts"
import type { OwnCookies } from "../../../system/ownCookies.ts"
import { makeSealer } from "../../../system/sealed.ts"
import { cookiesNamed } from "./admission.ts"

const COOKIE = "mcp_live_page"

export interface PeopleSession {
  /** Of its token. */
  readonly digest: string
  /** Whose it is, for limits. */
  readonly whose: string
  /** When it ends, in milliseconds since the epoch. */
  readonly until: number
  readonly visit: PersonVisit
  readonly isStillGood: Effect.Effect<boolean>
}

export interface PeopleSessionsOptions extends Pick<PeopleOptions, "logouts" | "verifier" | "visitOf"> {
  readonly key: Buffer
  readonly cookies: OwnCookies
  readonly now: () => number
}

const namesOf = ({ nameOf }: OwnCookies): ReadonlyArray<string> =>
  Array.from({ length: PEOPLE_COOKIES_MAX }, (_, i) => nameOf(i === 0 ? COOKIE : `${COOKIE}_${i + 1}`))

/** What is in the cookies. */
type Sealed = readonly [begunAt: number, token: string]

const endOf = ({ expiresAt, isOpenEnded }: Verified, begunAt: number): number =>
  Math.min(begunAt + PEOPLE_SESSION_MAX_MS, isOpenEnded ? Number.POSITIVE_INFINITY : expiresAt)

export const makePeopleSessions = ({ cookies, key, logouts, now, verifier, visitOf }: PeopleSessionsOptions) => {
  const sealer = makeSealer(key, "session on the page, and when it began")
  const names = namesOf(cookies)
  const lasting = `${cookies.attributes}; SameSite=Strict`
  const gone = (name: string): string => `${name}=; ${lasting}; Max-Age=0`
  /** Sessions that were ended before their time, which this process knows of, and until when they would have lasted. */
  const ended = new Map<string, number>()

  const noteEnd = (digest: string, until: number): void => {
    if (ended.size >= PEOPLE_ENDED_MAX) {
      for (const [one, end] of ended) if (end <= now()) ended.delete(one)
    }
    putNewest(ended, digest, until, PEOPLE_ENDED_MAX)
  }

  const sealedIn = (incoming: IncomingMessage): string =>
    names.map((name) => cookiesNamed(name, incoming)[0] ?? "").join("")

  const checked = (token: string): Effect.Effect<Verified | undefined> => {
    const known = verifier.known(token)
    if (known !== undefined) return Effect.succeed(known)
    return verifier
      .verify({ scheme: "bearer", token, proof: undefined, method: "GET", url: "" })
      .pipe(Effect.orElseSucceed(() => undefined))
  }

  /** At another node; a process by itself knows of all. */
  const hasEnded = (digest: string): Effect.Effect<boolean, DatabaseAway> =>
    logouts === undefined ? Effect.succeed(false) : logouts.hasEnded(digest)

  const sessionOf = ([begunAt, token]: Sealed, verified: Verified): PeopleSession | undefined => {
    const digest = digestOf(token).toString("hex")
    const visit = visitOf(verified)
    const until = endOf(verified, begunAt)
    const isOver = () => now() >= until || ended.has(digest)
    if (visit.caller()?.person === undefined || isOver()) return undefined
    const caller = () => (isOver() ? undefined : visit.caller())
    return {
      digest,
      whose: verified.principal,
      until,
      visit: { ...visit, caller },
      // While nobody can be asked about the logouts at other nodes, an open page stays.
      isStillGood: Effect.zipWith(
        verifier.isStillGood(token),
        Effect.orElseSucceed(hasEnded(digest), () => false),
        (isGood, isEnded) => isGood && !isEnded && caller() !== undefined
      )
    }
  }

  /** The session that this browser has, as far as this node knows. */
  const found = Effect.fnUntraced(function* (incoming: IncomingMessage): Effect.fn.Return<PeopleSession | undefined> {
    const sealed = sealedIn(incoming)
    const text = sealed === "" ? undefined : sealer.open(sealed)
    if (text === undefined) return undefined
    const kept = JSON.parse(text) as Sealed
    const verified = yield* checked(kept[1])
    return verified === undefined ? undefined : sessionOf(kept, verified)
  })

  return {
    /** The cookies of a new session; `undefined` if no rule lets the person in, or the token is too long for cookies. */
    begin: (token: string, verified: Verified): ReadonlyArray<string> | undefined => {
      const kept: Sealed = [now(), token]
      const sealed = sealer.seal(JSON.stringify(kept))
      const pieces = names.map((_, i) => sealed.slice(i * PEOPLE_COOKIE_CHARS, (i + 1) * PEOPLE_COOKIE_CHARS))
      const session = sessionOf(kept, verified)
      if (pieces.join("") !== sealed || session === undefined) return undefined
      const seconds = Math.max(1, Math.floor((session.until - now()) / 1_000))
      return pieces.map((piece, i) =>
        piece === "" ? gone(names[i]!) : `${names[i]!}=${piece}; ${lasting}; Max-Age=${seconds}`
      )
    },
    /** Fails if nobody can be asked whether it was ended at another node. */
    find: (incoming: IncomingMessage): Effect.Effect<PeopleSession | undefined, DatabaseAway> =>
      Effect.flatMap(found(incoming), (session) =>
        session === undefined
          ? Effect.undefined
          : Effect.map(hasEnded(session.digest), (isEnded) => (isEnded ? undefined : session))
      ),
    /** The person leaves, before their session ends by itself. It is given to what closes their pages. */
    leave: Effect.fnUntraced(function* (incoming: IncomingMessage, close: (digest: string) => void) {
      const session = yield* found(incoming)
      if (session === undefined) return
      noteEnd(session.digest, session.until)
      close(session.digest)
      if (logouts !== undefined) yield* logouts.end(session.digest, session.until)
    }),
    /** Somebody has left at another node. */
    left: (digest: string): void => noteEnd(digest, now() + PEOPLE_SESSION_MAX_MS),
    /** The cookies of nobody. */
    cleared: names.map(gone)
  }
}
