/** `mcp-live doctor` beside gateways: one that runs, and what a killed one has left. */
import { assert, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import { chmodSync, existsSync, readdirSync, statSync, utimesSync, writeFileSync } from "node:fs"
import { hostname } from "node:os"
import { join } from "node:path"
import { hostile } from "../fixtures/servers.ts"
import { setUp } from "./diagnosed.ts"
import { runHere } from "./here.ts"
import { start } from "./program.ts"
import { pauses } from "../support/pause.ts"

describe.skipIf(process.platform !== "linux")("mcp-live doctor and gateways", () => {
  const server = { fs: hostile() }

  it.live("asks the running one, and starts nothing", () =>
    Effect.gen(function* () {
      const { config, diagnosed, env } = yield* setUp(server)
      const running = yield* start(["start", "--config", config], { env })
      yield* running.until(/fs .*Ready/)
      const { document, stderr } = yield* diagnosed()
      assert.strictEqual(document.gateway, running.pid)
      assert.deepStrictEqual(document.servers, [{ name: "fs", state: "Ready" }])
      assert.notInclude(stderr, "starting each server")
      const own = yield* diagnosed(["--standalone"])
      assert.isNull(own.document.gateway)
    }).pipe(Effect.scoped)
  )

  it.live("reports calls that fail in the gateway", () =>
    Effect.gen(function* () {
      const { config, diagnosed, env } = yield* setUp(server)
      const running = yield* start(["start", "--config", config], { env })
      yield* running.until(/fs .*Ready/)
      for (let i = 0; i < 10; i++) running.type("/call fs/fail")
      running.type("/call fs/echo text=done-with-it")
      yield* running.until(/done-with-it/)
      const { one, stdout } = yield* diagnosed()
      assert.include(one("calls-fail")?.what, "10 of its 11 calls", stdout)
    }).pipe(Effect.scoped)
  )

  it.live("reports that a server of the gateway has reconnected", () =>
    Effect.gen(function* () {
      const { config, diagnosed, env } = yield* setUp({ fs: hostile("crash-after:1") })
      const running = yield* start(["start", "--config", config], { env })
      yield* running.until(/fs .*Ready/)
      running.type("/call fs/echo text=x")
      yield* running.until(/restart/)
      yield* runHere(["status", "--json", "--config", config], { env }).pipe(
        Effect.repeat({
          schedule: pauses,
          until: ({ stdout }) => /"restarts": 1/.test(stdout) && stdout.includes('"Ready"')
        })
      )
      const { one, stdout } = yield* diagnosed()
      assert.include(one("server-restarts")?.mend, "mcp-live logs fs", stdout)
    }).pipe(Effect.scoped)
  )

  it.live("finds what a killed gateway left behind, and mends it", () =>
    Effect.gen(function* () {
      const { config, data, diagnosed, env } = yield* setUp(server)
      const killed = yield* start(["start", "--config", config], { env })
      yield* killed.until(/fs .*Ready/)
      killed.signal("SIGKILL")
      yield* killed.exited
      const gateways = join(data, "gateways")
      assert.lengthOf(readdirSync(gateways), 2)
      const temporary = join(data, `pins.json.${killed.pid}-0123456789ab.tmp`)
      writeFileSync(temporary, "", { mode: 0o600 })
      utimesSync(temporary, 1, 1)
      const lock = join(data, "some.lock")
      const gone = { pid: killed.pid, started: "1", host: hostname(), boot: "an earlier one", space: "", nonce: "n" }
      writeFileSync(lock, JSON.stringify(gone), { mode: 0o600 })
      chmodSync(gateways, 0o755)
      const LEFT = ["left-sockets", "left-locks", "left-files", "data-mode"]

      const found = yield* diagnosed(["--offline", "--fix", "--dry-run"])
      assert.includeMembers(found.ids, LEFT, found.stdout)
      assert.isTrue(found.document.fixed.every(({ done }) => !done))
      for (const path of [temporary, lock]) assert.isTrue(existsSync(path))
      assert.strictEqual(statSync(gateways).mode & 0o777, 0o755)

      assert.deepStrictEqual(readdirSync(gateways), [])
      const fixed = yield* diagnosed(["--offline", "--fix"])
      assert.strictEqual(fixed.code, 0, fixed.stdout)
      for (const path of [temporary, lock]) assert.isFalse(existsSync(path))
      assert.strictEqual(statSync(gateways).mode & 0o777, 0o700)
      // Processes are those of the whole machine, where other tests kill gateways.
      const after = (yield* diagnosed(["--offline"])).ids
      assert.deepStrictEqual(
        after.filter((id) => id !== "left-processes"),
        []
      )
    }).pipe(Effect.scoped)
  )

  it.live("does not touch files that are in use", () =>
    Effect.gen(function* () {
      const { config, data, diagnosed, env } = yield* setUp(server)
      const running = yield* start(["start", "--config", config], { env })
      yield* running.until(/fs .*Ready/)
      const before = readdirSync(join(data, "gateways"))
      const fresh = join(data, `pins.json.${running.pid}-0123456789ab.tmp`)
      writeFileSync(fresh, "", { mode: 0o600 })
      utimesSync(fresh, 1, 1)
      const { ids } = yield* diagnosed(["--fix"])
      assert.isFalse(ids.some((id) => id.startsWith("left-")))
      assert.isTrue(existsSync(fresh))
      assert.deepStrictEqual(readdirSync(join(data, "gateways")), before)
    }).pipe(Effect.scoped)
  )
})
