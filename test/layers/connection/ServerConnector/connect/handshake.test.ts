import { assert, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import { initialize, probe } from "../../../../../src/layers/connection/ServerConnector/connect/handshake.ts"
import { inProse } from "../../../../../src/schemas/content/ServerText.ts"
import { INSTRUCTIONS_MAX_CHARS } from "../../../../../src/schemas/defaults/Definitions.ts"
import { CUT_MARGIN_CHARS } from "../../../../../src/schemas/defaults/Texts.ts"
import { ContentSanitizer } from "../../../../../src/services/content/ContentSanitizer.ts"
import { Redactor } from "../../../../../src/services/content/Redactor.ts"
import { sanitizer } from "../../../../support/sanitizer.ts"
import { scripted } from "../../../../support/session.ts"

describe("the instructions of a server", () => {
  const SECRET = "sk-live-9f8e7d6c5b4a3f2e1d0c"
  const told = (instructions: string) =>
    scripted((method) =>
      method === "server/discover"
        ? { supportedVersions: ["2026-07-28"], capabilities: {}, instructions }
        : { protocolVersion: "2025-11-25", capabilities: {}, instructions }
    ).session

  const ways = {
    initialize: (instructions: string) => initialize(told(instructions), "auto", {}, 1_000),
    "server/discover": (instructions: string) => probe(told(instructions), {}, 1_000)
  }
  for (const [method, ask] of Object.entries(ways)) {
    it.effect(`${method}: show no part of a secret where they are cut`, () =>
      Effect.gen(function* () {
        ;(yield* Redactor).register(SECRET)
        const { describe: prose } = yield* ContentSanitizer
        const answer = yield* ask(`${"x".repeat(INSTRUCTIONS_MAX_CHARS - 10)}${SECRET}${"y".repeat(1_000_000)}`)
        const instructions = "instructions" in answer ? answer.instructions! : ""
        assert.isAtMost(instructions.length, INSTRUCTIONS_MAX_CHARS + CUT_MARGIN_CHARS + 1)
        const shown = inProse(instructions, prose, INSTRUCTIONS_MAX_CHARS)
        assert.isAtLeast(shown.length, INSTRUCTIONS_MAX_CHARS - 100)
        assert.notInclude(shown, SECRET.slice(0, 4))
      }).pipe(Effect.provide(sanitizer))
    )
  }
})
