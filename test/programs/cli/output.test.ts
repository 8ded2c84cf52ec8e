import { assert, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as Logger from "effect/Logger"
import { formatLog } from "../../../src/programs/cli/logFormat.ts"
import { usesColour, visible } from "../../../src/programs/cli/output.ts"
import { standing } from "../../support/cli.ts"

const logged = (effect: Effect.Effect<unknown>) => {
  const lines: Array<string> = []
  const logger = Logger.make((options) => void lines.push(formatLog(options)))
  return Effect.as(Effect.provide(effect, Logger.layer([logger])), lines)
}

describe("output", () => {
  it.effect("a line of the log has time, level, message and annotations", () =>
    Effect.gen(function* () {
      const lines = yield* logged(Effect.logWarning("restarting", { in: 2 }).pipe(Effect.annotateLogs("server", "fs")))
      assert.lengthOf(lines, 1)
      assert.match(lines[0]!, /^\d\d:\d\d:\d\d WARN {2}restarting {2}\{ in: 2 \} {2}server=fs\n$/)
    })
  )

  it.effect("a line of the log cannot move the cursor", () =>
    Effect.gen(function* () {
      const [line] = yield* logged(Effect.logInfo("a\u001b[2Jb\u0007"))
      assert.match(line!, /a\[2Jb\n$/)
    })
  )

  it("line breaks and tabs are visible, other controls are not", () => {
    assert.strictEqual(visible("a\tb\nc\r\u001b\u0085\u007fd"), "a\tb\ncd")
  })

  it.effect("has colours on a terminal that has some, unless somebody wants none", () =>
    Effect.gen(function* () {
      const plain = { NO_COLOR: "", TERM: "xterm" }
      const withEnv = (env: Readonly<Record<string, string>>, isTTY: boolean) =>
        Effect.scoped(Effect.map(standing({ env: { ...plain, ...env } }), () => usesColour({ isTTY })))
      assert.isTrue(yield* withEnv({}, true))
      assert.isFalse(yield* withEnv({}, false))
      assert.isFalse(yield* withEnv({ NO_COLOR: "1" }, true))
      assert.isFalse(yield* withEnv({ TERM: "dumb" }, true))
    })
  )
})
