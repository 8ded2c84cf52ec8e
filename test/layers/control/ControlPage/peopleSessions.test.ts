/** How long a session of somebody on the page lasts, by a clock that the test sets. */
import { assert, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as Stream from "effect/Stream"
import type { IncomingMessage } from "node:http"
import { makePeopleSessions } from "../../../../src/layers/control/ControlPage/peopleSessions.ts"
import { callerWith } from "../../../../src/schemas/call/Caller.ts"
import { PEOPLE_SESSION_MAX_MS } from "../../../../src/schemas/defaults/Page.ts"
import { DatabaseAway } from "../../../../src/schemas/fleet/FleetError.ts"
import type { Identity } from "../../../../src/schemas/login/Identity.ts"
import type { PageLogouts } from "../../../../src/services/fleet/PageLogouts.ts"
import type { TokenVerifier, Verified } from "../../../../src/services/login/TokenVerifier.ts"
import { ownCookies } from "../../../../src/system/ownCookies.ts"

const HOUR_MS = 3_600_000
const TOKEN = "the-token-of-ada"

const identity: Identity = {
  person: { issuer: "https://login.example.com", subject: "1", name: "ada" },
  client: "page",
  groups: [],
  roles: [],
  scopes: []
}

interface Given {
  readonly expiresAt?: number
  readonly logouts?: PageLogouts["Service"]
}

/** A node; those with the same key are nodes of one fleet. */
const node = ({ expiresAt, logouts }: Given = {}) => {
  const state = { now: 0, isGood: true }
  const verified = (): Verified => ({
    identity,
    issuer: "https://login.example.com",
    agent: undefined,
    principal: "ada by page",
    expiresAt: expiresAt ?? state.now + 30_000,
    isOpenEnded: expiresAt === undefined
  })
  const verifier = {
    known: () => (state.isGood ? verified() : undefined),
    verify: () => Effect.fail("it is not active"),
    isStillGood: () => Effect.sync(() => state.isGood)
  } as unknown as TokenVerifier["Service"]
  const sessions = makePeopleSessions({
    key: Buffer.alloc(32, 7),
    cookies: ownCookies(new URL("https://mcp.example.com/page/")),
    verifier,
    logouts,
    now: () => state.now,
    visitOf: () => ({
      caller: () => callerWith("ada by page", identity),
      sessions: () => [],
      servers: () => [],
      connect: () => Effect.succeed("")
    })
  })
  const begin = () => sessions.begin(TOKEN, verified())!
  return { ...sessions, state, begin }
}

const bringing = (set: ReadonlyArray<string>) =>
  ({ headers: { cookie: set.map((line) => line.split(";", 1)[0]!).join("; ") } }) as IncomingMessage

const maxAgeOf = ([first = ""]: ReadonlyArray<string>) => Number(/Max-Age=(\d+)/.exec(first)?.[1])

describe("a session on the page", () => {
  it.effect(
    "whose token has no expiry lasts as long as its issuer says that it is active, and twelve hours at most",
    () =>
      Effect.gen(function* () {
        const { begin, find, state } = node()
        const set = begin()
        assert.strictEqual(maxAgeOf(set), PEOPLE_SESSION_MAX_MS / 1_000)
        state.now = PEOPLE_SESSION_MAX_MS - 1
        const session = (yield* find(bringing(set)))!
        assert.strictEqual(session.until, PEOPLE_SESSION_MAX_MS)
        assert.isTrue(yield* session.isStillGood)
        state.isGood = false
        assert.isFalse(yield* session.isStillGood)
        assert.isUndefined(yield* find(bringing(set)))
        state.isGood = true
        state.now = PEOPLE_SESSION_MAX_MS
        // Nor by a copy of the cookie that its browser has deleted by then.
        assert.isUndefined(yield* find(bringing(set)))
        assert.isFalse(yield* session.isStillGood)
      })
  )

  it.effect("whose token expires ends then, and after twelve hours at the latest", () =>
    Effect.gen(function* () {
      const short = node({ expiresAt: HOUR_MS })
      const set = short.begin()
      assert.strictEqual(maxAgeOf(set), HOUR_MS / 1_000)
      short.state.now = HOUR_MS
      assert.isUndefined(yield* short.find(bringing(set)))
      const long = node({ expiresAt: 48 * HOUR_MS })
      assert.strictEqual(maxAgeOf(long.begin()), PEOPLE_SESSION_MAX_MS / 1_000)
    })
  )

  it.effect("that was left is over, also for a copy of its cookie, until it would have ended", () =>
    Effect.gen(function* () {
      const { begin, find, leave, state } = node()
      const set = begin()
      const closed: Array<string> = []
      const { digest } = (yield* find(bringing(set)))!
      yield* leave(bringing(set), (one) => void closed.push(one))
      assert.deepStrictEqual(closed, [digest])
      state.now = PEOPLE_SESSION_MAX_MS - 1
      assert.isUndefined(yield* find(bringing(set)))
    })
  )

  it.effect(
    "that was left at another node is over here; if nobody knows, it is not begun, and an open page stays",
    () =>
      Effect.gen(function* () {
        const state: { hasEnded: boolean | undefined } = { hasEnded: false }
        const told: Array<readonly [string, number]> = []
        const logouts: PageLogouts["Service"] = {
          end: (session, until) => Effect.sync(() => void told.push([session, until])),
          hasEnded: () =>
            Effect.suspend(() =>
              state.hasEnded === undefined
                ? Effect.fail(new DatabaseAway({ detail: "logouts cannot be read", retryInMs: 500 }))
                : Effect.succeed(state.hasEnded)
            ),
          ended: Stream.never
        }
        const { begin, find, leave } = node({ logouts })
        const set = begin()
        const session = (yield* find(bringing(set)))!
        state.hasEnded = undefined
        assert.strictEqual((yield* Effect.flip(find(bringing(set))))._tag, "DatabaseAway")
        assert.isTrue(yield* session.isStillGood)
        state.hasEnded = true
        assert.isUndefined(yield* find(bringing(set)))
        assert.isFalse(yield* session.isStillGood)
        // Somebody can leave whether anybody can be asked or not.
        state.hasEnded = undefined
        yield* leave(bringing(set), () => {})
        assert.deepStrictEqual(told, [[session.digest, session.until]])
      })
  )

  it.effect("that was left elsewhere is over at once for what its open page asks", () =>
    Effect.gen(function* () {
      const { begin, find, left } = node()
      const session = (yield* find(bringing(begin())))!
      assert.isDefined(session.visit.caller())
      left(session.digest)
      assert.isUndefined(session.visit.caller())
    })
  )
})
