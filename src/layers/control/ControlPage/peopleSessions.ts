/**
 * Sessions of people on the page. A session is the access token of its person, in a cookie that only we can read: so any node of a fleet knows it, none
 * outlives its token, and each use is a check of that token like that of any client.
 */
import * as Effect from "effect/Effect"
import type { IncomingMessage } from "node:http"
import { putNewest } from "../../../schemas/data/Newest.ts"
import { PEOPLE_COOKIE_CHARS, PEOPLE_COOKIES_MAX, PEOPLE_USED_MAX } from "../../../schemas/defaults/Page.ts"
import type { PeopleOptions } from "../../../services/control/ControlPage.ts"
import type { PersonVisit } from "../../../services/control/Visitor.ts"
import type { Verified } from "../../../services/login/TokenVerifier.ts"
import { digestOf } from "../../../system/httpServer.ts"
import { makeSealer } from "../../../system/sealed.ts"
import { cookiesNamed } from "./admission.ts"

const COOKIE = "mcp_live_page"

export interface PeopleSession {
  /** Of its token. */
  readonly digest: string
  /** Whose it is, for limits. */
  readonly whose: string
  /** When its token expires, in milliseconds since the epoch. */
  readonly until: number
  readonly visit: PersonVisit
  readonly isStillGood: Effect.Effect<boolean>
}

export interface PeopleSessionsOptions extends Pick<PeopleOptions, "verifier" | "visitOf"> {
  readonly key: Buffer
  /** Of the cookies. */
  readonly attributes: string
  readonly now: () => number
}

const namesOf = (): ReadonlyArray<string> =>
  Array.from({ length: PEOPLE_COOKIES_MAX }, (_, i) => (i === 0 ? COOKIE : `${COOKIE}_${i + 1}`))

export const makePeopleSessions = ({ attributes, key, now, verifier, visitOf }: PeopleSessionsOptions) => {
  const sealer = makeSealer(key, "session on the page")
  const names = namesOf()
  const lasting = `${attributes}; SameSite=Strict`
  const gone = (name: string): string => `${name}=; ${lasting}; Max-Age=0`
  /** Sessions that were ended before their tokens expired. */
  const ended = new Map<string, true>()

  const sealedIn = (incoming: IncomingMessage): string =>
    names.map((name) => cookiesNamed(name, incoming)[0] ?? "").join("")

  const checked = (token: string): Effect.Effect<Verified | undefined> => {
    const known = verifier.known(token)
    if (known !== undefined) return Effect.succeed(known)
    return verifier
      .verify({ scheme: "bearer", token, proof: undefined, method: "GET", url: "" })
      .pipe(Effect.orElseSucceed(() => undefined))
  }

  const sessionOf = (token: string, verified: Verified): PeopleSession | undefined => {
    const digest = digestOf(token).toString("hex")
    const visit = visitOf(verified)
    const until = verified.expiresAt
    const isOver = () => now() >= until || ended.has(digest)
    if (visit.caller()?.person === undefined || isOver()) return undefined
    const caller = () => (isOver() ? undefined : visit.caller())
    return {
      digest,
      whose: verified.principal,
      until,
      visit: { ...visit, caller },
      isStillGood: Effect.map(verifier.isStillGood(token), (isGood) => isGood && caller() !== undefined)
    }
  }

  return {
    /** The cookies of a new session; `undefined` if no rule lets the person in, or the token is too long for cookies. */
    begin: (token: string, verified: Verified): ReadonlyArray<string> | undefined => {
      const sealed = sealer.seal(token)
      const pieces = names.map((_, i) => sealed.slice(i * PEOPLE_COOKIE_CHARS, (i + 1) * PEOPLE_COOKIE_CHARS))
      if (pieces.join("") !== sealed || sessionOf(token, verified) === undefined) return undefined
      const seconds = Math.max(1, Math.floor((verified.expiresAt - now()) / 1_000))
      return pieces.map((piece, i) =>
        piece === "" ? gone(names[i]!) : `${names[i]!}=${piece}; ${lasting}; Max-Age=${seconds}`
      )
    },
    find: Effect.fnUntraced(function* (incoming: IncomingMessage): Effect.fn.Return<PeopleSession | undefined> {
      const sealed = sealedIn(incoming)
      const token = sealed === "" ? undefined : sealer.open(sealed)
      if (token === undefined) return undefined
      const verified = yield* checked(token)
      return verified === undefined ? undefined : sessionOf(token, verified)
    }),
    /** The person leaves, before the token expires. */
    end: ({ digest }: PeopleSession): void => putNewest(ended, digest, true, PEOPLE_USED_MAX),
    /** The cookies of nobody. */
    cleared: names.map(gone)
  }
}
