/**
 * The browsers that are let in. A file for this user only keeps the digests of their cookies, so that an open page finds a gateway that was started
 * again; and the folder in the page's address, which is as hard to guess as a cookie: a browser sends the cookie only to addresses that begin with it.
 * Without that, every program that serves a page at another port of this machine would get the cookie, too.
 */
import type * as Clock from "effect/Clock"
import * as Effect from "effect/Effect"
import * as Schema from "effect/Schema"
import { dirname } from "node:path"
import {
  PAGE_COOKIE_BYTES,
  PAGE_PATH_BYTES,
  PAGE_SESSION_MS,
  PAGE_SESSIONS_FILE_MAX_BYTES,
  PAGE_SESSIONS_LOCK_MS,
  PAGE_SESSIONS_MAX
} from "../../../schemas/defaults/Page.ts"
import { withLock } from "../../../system/fileLock.ts"
import { digestOf } from "../../../system/httpServer.ts"
import { jsonFile } from "../../../system/jsonFile.ts"
import { makeWord } from "../../../system/keptOnce.ts"
import { fileSystemSays, makeOwnDirectory } from "../../../system/ownFiles.ts"

const Session = Schema.Struct({
  /** SHA-256 of the cookie. */
  digest: Schema.String.check(Schema.isPattern(/^[0-9a-f]{64}$/)),
  /** A session is one with a port: a gateway of the same configuration beside this one has its own. */
  port: Schema.Int,
  readOnly: Schema.Boolean,
  /** Milliseconds since the epoch. */
  until: Schema.Finite
})
export type Session = typeof Session.Type

const Kept = Schema.Struct({
  path: Schema.String.check(Schema.isPattern(/^[\w-]{22}$/)),
  /** The newest first. */
  sessions: Schema.Array(Session)
})
type Kept = typeof Kept.Type

const files = jsonFile(Kept, PAGE_SESSIONS_FILE_MAX_BYTES)

export interface Sessions {
  readonly path: string
  /** The ports of sessions that are kept, the newest first. */
  readonly ports: ReadonlyArray<number>
  /** The session of a cookie. */
  readonly find: (cookie: string, port: number) => Session | undefined
  /** Returns the cookie of a new session. If it cannot be kept, the log says so, and it lasts as long as this process. */
  readonly begin: (begun: Pick<Session, "port" | "readOnly">) => Effect.Effect<string>
}

const attempt = <A>(work: () => Promise<A>): Effect.Effect<A, string> =>
  Effect.tryPromise({ try: work, catch: fileSystemSays })

/** Fails with words. */
export const openSessions = Effect.fnUntraced(function* (
  file: string,
  clock: Clock.Clock
): Effect.fn.Return<Sessions, string> {
  const now = () => clock.currentTimeMillisUnsafe()
  const unexpired = (sessions: ReadonlyArray<Session>) =>
    sessions.filter(({ until }) => until > now() && until <= now() + PAGE_SESSION_MS).slice(0, PAGE_SESSIONS_MAX)

  /** What the file says, and `change` of it, which is written. */
  const changed = Effect.fnUntraced(function* (change: (kept: Kept) => Kept) {
    yield* Effect.try({ try: () => makeOwnDirectory(dirname(file)), catch: fileSystemSays })
    yield* withLock(`${file}.lock`, PAGE_SESSIONS_LOCK_MS)
    const found = yield* attempt(() => files.read(file))
    const path = makeWord({ bytes: PAGE_PATH_BYTES, encoding: "base64url" })
    const next = change(found ?? { path, sessions: [] })
    yield* attempt(() => files.replace(file, next))
    return next
  }, Effect.scoped)

  const { path, sessions: kept } = yield* changed((found) => ({ ...found, sessions: unexpired(found.sessions) })).pipe(
    Effect.mapError((words) => `its sessions cannot be kept: ${words}`)
  )
  let own = kept

  return {
    path,
    ports: [...new Set(kept.map(({ port }) => port))],
    find: (cookie, port) => {
      const digest = digestOf(cookie).toString("hex")
      return own.find((one) => one.digest === digest && one.port === port && one.until > now())
    },
    begin: Effect.fnUntraced(function* ({ port, readOnly }) {
      const cookie = makeWord({ bytes: PAGE_COOKIE_BYTES, encoding: "base64url" })
      const session = { digest: digestOf(cookie).toString("hex"), port, readOnly, until: now() + PAGE_SESSION_MS }
      own = unexpired([session, ...own])
      yield* changed((found) => ({ path, sessions: unexpired([session, ...found.sessions]) })).pipe(
        Effect.catch((words) => Effect.logWarning(`the page is opened, but a restart will close it: ${words}`))
      )
      return cookie
    })
  }
})
