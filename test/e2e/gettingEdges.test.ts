/** `mcp-live add` where files, names or the place of a secret are not as usual. */
import { assert, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import { existsSync, mkdirSync, readdirSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { machine, serversOf } from "./gettingMachine.ts"

describe("mcp-live add", () => {
  it.live("takes an empty file for one without anything in it, and says that a prefix is taken", () =>
    Effect.gen(function* () {
      const { cwd, live } = yield* machine
      const file = join(cwd, "openclaw.json")
      writeFileSync(file, "")
      const args = (name: string) => ["add", name, "--force", "--", "no-such-command-here"]
      const first = yield* live(args("a b"))
      assert.strictEqual(first.code, 0, first.stderr)
      assert.notInclude(first.stderr, "begin like")
      const second = yield* live(args("a/B"))
      assert.strictEqual(second.code, 0, second.stderr)
      assert.include(second.stderr, "begin like those of 'a b'")
      assert.deepStrictEqual(Object.keys(serversOf(file)).toSorted(), ["a b", "a/B"])
    }).pipe(Effect.scoped)
  )

  it.live("takes @latest for the newest version of the registry", () =>
    Effect.gen(function* () {
      const { live } = yield* machine
      const { code, stderr, stdout } = yield* live(["add", "io.github.example/memory@latest", "--dry-run"])
      assert.strictEqual(code, 0, stderr)
      assert.match(stdout, /runs: npx -y @modelcontextprotocol\/server-memory@\d/)
    }).pipe(Effect.scoped)
  )

  it.live("leaves no secret behind if the next one cannot be stored", () =>
    Effect.gen(function* () {
      const { home, live, target } = yield* machine
      const secrets = join(home, ".mcp-live", "secrets", "two")
      mkdirSync(join(secrets, "B_TOKEN"), { recursive: true })
      const given = ["--env", "A_TOKEN=canary-one", "--env", "B_TOKEN=canary-two"]
      const { code, stderr } = yield* live(["add", "two", ...given, "--", "no-such-command-here"])
      assert.strictEqual(code, 1)
      assert.include(stderr, "cannot be used")
      assert.deepStrictEqual(readdirSync(secrets), ["B_TOKEN"])
      assert.isFalse(existsSync(target))
    }).pipe(Effect.scoped)
  )
})
