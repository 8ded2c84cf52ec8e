/** `mcp-live remove`, `enable` and `disable` as processes. */
import { assert, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import { readFileSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { fileURLToPath } from "node:url"
import { machine, machineOf, serversOf } from "./gettingMachine.ts"
import { run } from "./program.ts"
import { saidBesides } from "./program.ts"

const SERVER = fileURLToPath(new URL("../fixtures/bundles/server.mjs", import.meta.url))

describe("mcp-live remove, enable and disable", () => {
  const text = `{
  // mine
  mcp: { servers: {
    own: { command: '${process.execPath}', args: ['${SERVER}'] }, // the first
    broken: { command: 'no-such-command-here', enabled: false },
  } },
}
`
  it.live("edit the file, keep its comments, and say what they changed", () =>
    Effect.gen(function* () {
      const { cwd, live } = yield* machine
      const file = join(cwd, "openclaw.json")
      writeFileSync(file, text)
      const dry = yield* live(["disable", "own", "--dry-run"])
      assert.strictEqual(dry.code, 0, dry.stderr)
      assert.match(dry.stdout, /\+ .*"enabled": false/)
      assert.strictEqual(readFileSync(file, "utf8"), text)
      const disabled = yield* live(["disable", "own"])
      assert.strictEqual(disabled.code, 0)
      assert.include(disabled.stdout, "'own' is disabled; 'mcp-live enable own' enables it again.")
      assert.deepInclude(serversOf(file)["own"], { enabled: false })
      const again = yield* live(["disable", "own"])
      assert.include(again.stdout, "nothing to change in")
      const enabled = yield* live(["enable", "own", "--json", "--yes"])
      assert.strictEqual(enabled.code, 0, enabled.stderr)
      assert.deepInclude(JSON.parse(enabled.stdout), { name: "own", written: true, state: "Ready" })
      assert.deepInclude(serversOf(file)["own"], { enabled: true })
      const down = yield* live(["enable", "broken"])
      assert.strictEqual(down.code, 1)
      assert.include(saidBesides(down), "'broken' does not start")
      assert.deepInclude(serversOf(file)["broken"], { enabled: false })
      const removed = yield* live(["remove", "own"])
      assert.strictEqual(removed.code, 0, removed.stderr)
      assert.deepStrictEqual(Object.keys(serversOf(file)), ["broken"])
      assert.include(readFileSync(file, "utf8"), "// mine")
      const unknown = yield* live(["remove", "brokn"])
      assert.strictEqual(unknown.code, 2)
      assert.include(unknown.stderr, "did you mean 'broken'?")
    }).pipe(Effect.scoped)
  )

  it.live("lose nothing when they edit the same file at once", () =>
    Effect.gen(function* () {
      const { cwd, live } = yield* machineOf(run)
      const file = join(cwd, "openclaw.json")
      const names = ["a", "b", "c", "d"]
      const entry = { command: process.execPath, args: [SERVER] }
      writeFileSync(file, JSON.stringify({ mcp: { servers: Object.fromEntries(names.map((name) => [name, entry])) } }))
      const commands = [
        ["disable", "a", "--json"],
        ["disable", "b", "--json"],
        ["remove", "c", "--json"],
        ["add", "e", "--json", "--yes", "--", process.execPath, SERVER]
      ]
      const done = yield* Effect.forEach(commands, (args) => live(args), { concurrency: "unbounded" })
      for (const { code, stderr } of done) assert.strictEqual(code, 0, stderr)
      const servers = serversOf(file)
      assert.deepStrictEqual(Object.keys(servers).toSorted(), ["a", "b", "d", "e"])
      assert.deepInclude(servers["a"], { enabled: false })
      assert.deepInclude(servers["b"], { enabled: false })
    }).pipe(Effect.scoped)
  )

  it.live("say with --json what was written, and what there was already", () =>
    Effect.gen(function* () {
      const { cwd, live } = yield* machine
      const file = join(cwd, "openclaw.json")
      writeFileSync(file, text)
      const documentOf = (args: ReadonlyArray<string>, code = 0) =>
        Effect.map(live([...args, "--json"]), (finished) => {
          assert.strictEqual(finished.code, code, finished.stderr)
          return JSON.parse(finished.stdout)
        })
      const dry = yield* documentOf(["disable", "own", "--dry-run"])
      assert.deepInclude(dry, { file, name: "own", written: false })
      assert.match(dry.difference, /\+ .*"enabled": false/)
      assert.deepStrictEqual(yield* documentOf(["disable", "own"]), { file, name: "own", written: true })
      assert.deepStrictEqual(yield* documentOf(["disable", "own"]), { file, name: "own", written: false })
      const wouldEnable = yield* documentOf(["enable", "own", "--dry-run"])
      assert.deepInclude(wouldEnable, { file, name: "own", written: false })
      assert.deepInclude(serversOf(file)["own"], { enabled: false })
      const enabled = yield* documentOf(["enable", "own", "--yes"])
      assert.deepInclude(enabled, { file, name: "own", written: true, state: "Ready" })
      assert.isNotEmpty(enabled.tools)
      const again = yield* documentOf(["enable", "own", "--yes"])
      assert.deepInclude(again, { name: "own", written: false, state: "Ready" })
      const down = yield* documentOf(["enable", "broken", "--yes"], 1)
      assert.strictEqual(down.error.tag, "NotWritten")
      assert.include(down.error.message, "'broken' does not start")
    }).pipe(Effect.scoped)
  )
})
