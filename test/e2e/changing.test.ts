/** `mcp-live remove`, `enable` and `disable` as processes. */
import { assert, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import { readFileSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { fileURLToPath } from "node:url"
import { machine, serversOf } from "./gettingMachine.ts"
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
      assert.strictEqual((yield* live(["disable", "own"])).code, 0)
      assert.deepInclude(serversOf(file)["own"], { enabled: false })
      const again = yield* live(["disable", "own"])
      assert.include(again.stdout, "has it already")
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
})
