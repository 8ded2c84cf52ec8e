/** The browsers that are let in, and the file that keeps them. */
import { assert, describe, it } from "@effect/vitest"
import * as Clock from "effect/Clock"
import * as Effect from "effect/Effect"
import * as TestClock from "effect/testing/TestClock"
import { createHash } from "node:crypto"
import { chmodSync, chownSync, readFileSync, rmSync, statSync, symlinkSync, writeFileSync } from "node:fs"
import { dirname, join } from "node:path"
import { openSessions } from "../../../../src/layers/control/ControlPage/sessions.ts"
import { PAGE_SESSION_MS, PAGE_SESSIONS_MAX } from "../../../../src/schemas/defaults/Page.ts"
import { inFolder } from "../../../support/folder.ts"

const place = Effect.map(inFolder, (folder) => join(folder, "page", "0.json"))
const opened = (file: string) => Effect.flatMap(Clock.Clock, (clock) => openSessions(file, clock))

interface Kept {
  readonly path: string
  readonly sessions: ReadonlyArray<Record<string, unknown>>
}
const kept = (file: string) => JSON.parse(readFileSync(file, "utf8")) as Kept

const PORT = 4711

describe("the sessions of the page", () => {
  it.effect("outlive the process: the next one knows the cookie, the folder and the port", () =>
    Effect.gen(function* () {
      const file = yield* place
      const first = yield* opened(file)
      assert.deepStrictEqual(first.ports, [])
      const cookie = yield* first.begin({ port: PORT, readOnly: true })
      const next = yield* opened(file)
      assert.strictEqual(next.path, first.path)
      assert.deepStrictEqual(next.ports, [PORT])
      assert.deepInclude(next.find(cookie, PORT), { port: PORT, readOnly: true })
    }).pipe(Effect.scoped)
  )

  it.effect("are in a file of this user that holds no cookie", () =>
    Effect.gen(function* () {
      const file = yield* place
      const cookie = yield* (yield* opened(file)).begin({ port: PORT, readOnly: false })
      assert.strictEqual(statSync(file).mode & 0o777, 0o600)
      assert.strictEqual(statSync(dirname(file)).mode & 0o777, 0o700)
      assert.notInclude(readFileSync(file, "utf8"), cookie)
      assert.strictEqual(kept(file).sessions[0]?.["digest"], createHash("sha256").update(cookie).digest("hex"))
    }).pipe(Effect.scoped)
  )

  it.effect("belong to one port: no other gateway lets them in", () =>
    Effect.gen(function* () {
      const sessions = yield* opened(yield* place)
      const cookie = yield* sessions.begin({ port: PORT, readOnly: false })
      assert.isUndefined(sessions.find(cookie, PORT + 1))
      assert.isUndefined(sessions.find(`${cookie}x`, PORT))
      assert.isUndefined(sessions.find("", PORT))
    }).pipe(Effect.scoped)
  )

  it.effect("end after thirty days, also while the gateway runs", () =>
    Effect.gen(function* () {
      const file = yield* place
      const sessions = yield* opened(file)
      const cookie = yield* sessions.begin({ port: PORT, readOnly: false })
      yield* TestClock.adjust(PAGE_SESSION_MS - 1)
      assert.isDefined(sessions.find(cookie, PORT))
      yield* TestClock.adjust(1)
      assert.isUndefined(sessions.find(cookie, PORT))
      assert.deepStrictEqual((yield* opened(file)).ports, [])
      assert.deepStrictEqual(kept(file).sessions, [])
    }).pipe(Effect.scoped)
  )

  it.effect("are bounded: the oldest give way", () =>
    Effect.gen(function* () {
      const file = yield* place
      const sessions = yield* opened(file)
      const first = yield* sessions.begin({ port: PORT, readOnly: false })
      const more = yield* Effect.replicateEffect(sessions.begin({ port: PORT, readOnly: false }), PAGE_SESSIONS_MAX)
      assert.isUndefined(sessions.find(first, PORT))
      for (const cookie of more) assert.isDefined(sessions.find(cookie, PORT))
      assert.lengthOf(kept(file).sessions, PAGE_SESSIONS_MAX)
    }).pipe(Effect.scoped)
  )

  it.live("of two gateways of one configuration are kept side by side", () =>
    Effect.gen(function* () {
      const file = yield* place
      const [one, other] = [yield* opened(file), yield* opened(file)]
      assert.strictEqual(one.path, other.path)
      yield* Effect.all([one.begin({ port: 1, readOnly: false }), other.begin({ port: 2, readOnly: false })], {
        concurrency: 2
      })
      assert.sameMembers([...(yield* opened(file)).ports], [1, 2])
    }).pipe(Effect.scoped)
  )

  it.effect("that cannot be written last as long as the process", () =>
    Effect.gen(function* () {
      const file = yield* place
      const sessions = yield* opened(file)
      rmSync(dirname(file), { recursive: true })
      writeFileSync(dirname(file), "")
      const cookie = yield* sessions.begin({ port: PORT, readOnly: false })
      assert.isDefined(sessions.find(cookie, PORT))
    }).pipe(Effect.scoped)
  )
})

describe("a file of sessions", () => {
  const forged = (until: number) => ({ digest: "0".repeat(64), port: PORT, readOnly: false, until })

  it.effect("that is damaged, or has sessions with a too long lifetime, lets no browser in", () =>
    Effect.gen(function* () {
      const file = yield* place
      const { path } = yield* opened(file)
      const texts = [
        "{",
        JSON.stringify({ path: "../../etc", sessions: [] }),
        JSON.stringify({ path, sessions: [{ ...forged(1), digest: "" }] }),
        JSON.stringify({ path, sessions: [forged(PAGE_SESSION_MS + 1)] })
      ]
      for (const text of texts) {
        writeFileSync(file, text)
        const sessions = yield* opened(file)
        assert.deepStrictEqual(sessions.ports, [], text)
        assert.match(sessions.path, /^[\w-]{22}$/)
      }
    }).pipe(Effect.scoped)
  )

  it.effect.skipIf(process.platform === "win32")(
    "that others could have written is not believed, and nothing is opened",
    () =>
      Effect.gen(function* () {
        const file = yield* place
        yield* opened(file)
        const text = readFileSync(file)
        chmodSync(file, 0o666)
        assert.include(yield* Effect.flip(opened(file)), "can be written by others")
        rmSync(file)
        const aside = join(dirname(file), "aside")
        writeFileSync(aside, text)
        symlinkSync(aside, file)
        assert.include(yield* Effect.flip(opened(file)), "it is not a file")
      }).pipe(Effect.scoped)
  )

  it.effect.runIf(process.getuid?.() === 0)("of another user is not believed", () =>
    Effect.gen(function* () {
      const file = yield* place
      yield* opened(file)
      chownSync(file, 65_534, 65_534)
      assert.include(yield* Effect.flip(opened(file)), "belongs to another user")
    }).pipe(Effect.scoped)
  )
})
