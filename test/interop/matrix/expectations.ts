/**
 * What is expected of every cell. Where a revision lacks something, the expectation is what one gets in its place; none is
 * left out.
 */
import { assert } from "@effect/vitest"
import * as Effect from "effect/Effect"
import { McpRuntime } from "../../../src/services/call/McpRuntime.ts"
import type { Expectations } from "./expectation.ts"
import { HOST } from "./host.ts"
import { PROMPTS, RESOURCES } from "./lists.ts"
import { SILENT } from "./silent.ts"
import { CONTENT, TOOLS } from "./tools.ts"

/** Asked last. */
const END: Expectations = {
  "in all of this nothing unexpected happened, and the connection is the first one": ({ logs }) =>
    Effect.gen(function* () {
      assert.deepStrictEqual(
        logs.filter((line) => /unexpected|defect/i.test(line)),
        []
      )
      assert.deepInclude((yield* (yield* McpRuntime).status)["peer"], { state: "Ready", restarts: 0 })
    })
}

export const WILLING_HOST: Expectations = { ...TOOLS, ...CONTENT, ...HOST, ...RESOURCES, ...PROMPTS, ...END }

export const SILENT_HOST: Expectations = { ...SILENT, ...END }
