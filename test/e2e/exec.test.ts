/** `mcp-live exec` as it is installed. */
import { assert, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import { run } from "./program.ts"

const env = { TOKEN: "Bearer secret://env/WORDS", WORDS: "said in the open" }

describe("mcp-live exec", () => {
  it.live(
    "becomes the command, with values in place of references, and whatever stands behind -- is the command's",
    () =>
      Effect.gen(function* () {
        const show = ["node", "-p", "`${process.env.TOKEN} ${process.argv.slice(1)}`", "--", "exec", "--help"]
        const { code, stderr, stdout } = yield* run(["exec", "--", ...show], { env })
        assert.deepStrictEqual(
          { code, stderr, stdout },
          { code: 0, stderr: "", stdout: "Bearer said in the open exec,--help\n" }
        )
      })
  )

  it.live("explains its use and its errors", () =>
    Effect.gen(function* () {
      assert.include((yield* run(["exec", "--help"])).stdout, "mcp-live exec -- COMMAND ARGS…")
      const wrong = yield* run(["exec", "node"])
      assert.deepInclude(wrong, { code: 2, stdout: "" })
      assert.include(wrong.stderr, "mcp-live: exec: the command must follow --")
      const late = yield* run(["--json", "exec", "--", "node"])
      assert.deepInclude(late, { code: 2, stdout: "" })
      assert.include(late.stderr, "exec must come first")
      assert.strictEqual((yield* run(["exec", "--", "no-such-command"])).code, 127)
    })
  )
})
