import { assert, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Logger from "effect/Logger"
import type { ToolResult } from "../../../../src/schemas/call/Tool.ts"
import type { CallRecord } from "../../../../src/services/call/AuditLog.ts"
import { McpRuntime } from "../../../../src/services/call/McpRuntime.ts"
import { McpLiveTest, TestServers, type TestServer } from "../../../../src/testing.ts"
import { auditInto } from "../../../support/audit.ts"

const live = (servers: Record<string, TestServer>, records: Array<CallRecord> = []) =>
  McpLiveTest(servers, { replace: { audit: auditInto(records) } }).pipe(Layer.provideMerge(Logger.layer([])))

const call = (name: string, args: Record<string, unknown> = {}) =>
  Effect.flatMap(McpRuntime, (runtime) => runtime.call(name, args))

/** Gives its arguments back, as what it says its output is. */
const add = (outputSchema: unknown, more: object = {}) => ({
  name: "add",
  inputSchema: { type: "object" },
  outputSchema,
  handle: (args: Readonly<Record<string, unknown>>) => ({
    content: [{ type: "text", text: "quoth" }],
    structuredContent: args,
    ...more
  })
})

const SUM = { type: "object", properties: { sum: { type: "number" } }, required: ["sum"] }

const noted = ({ details }: ToolResult) => ("notes" in details ? details.notes : [])
const found = ({ details }: ToolResult) =>
  (details.findings ?? []).map(({ count, detail, kind }) => `${kind}: ${detail} (${count})`)

const NOTE = "the structured content does not match the tool's output schema:"

describe("McpRuntime: output schemas", () => {
  it.effect("are checked against structured content, with findings in the result and the record", () => {
    const records: Array<CallRecord> = []
    return Effect.gen(function* () {
      const good = yield* call("mcp_fs_add", { sum: 3 })
      const bad = yield* call("mcp_fs_add", { sum: "quoth" })
      assert.deepStrictEqual([noted(good), found(good)], [[], []])
      assert.deepStrictEqual([noted(bad), found(bad)], [[`${NOTE} type at $.sum`], ["outputMismatch: type (1)"]])
      assert.isFalse(bad.isError)
      assert.deepStrictEqual(bad.structuredContent, { sum: "quoth" })
      const kinds = records.map(({ findings, outcome }) => [outcome, ...findings.map(({ kind }) => kind)])
      assert.deepStrictEqual(kinds, [["ok"], ["ok", "outputMismatch"]])
    }).pipe(Effect.provide(live({ fs: { tools: [add(SUM)] } }, records)))
  })

  it.effect("report missing structured content, but not for errors or tools without a usable schema", () =>
    Effect.gen(function* () {
      assert.deepStrictEqual(found(yield* call("mcp_less_add")), ["outputMismatch: missing (1)"])
      for (const server of ["error", "plain", "unusable"]) {
        const result = yield* call(`mcp_${server}_add`)
        assert.deepStrictEqual([noted(result), found(result)], [[], []], server)
      }
    }).pipe(
      Effect.provide(
        live({
          less: { tools: [add(SUM, { structuredContent: undefined })] },
          error: { tools: [add(SUM, { isError: true })] },
          plain: { tools: [add(undefined)] },
          unusable: { tools: [add("no schema")] }
        })
      )
    )
  )

  it.effect("withhold a result for outputMismatch, when onFinding says so", () =>
    Effect.gen(function* () {
      const result = yield* call("mcp_fs_add", { sum: "quoth" })
      assert.isTrue("withheld" in result.details && result.details.withheld)
      assert.notInclude(JSON.stringify(result), "quoth")
      const shown = yield* call("mcp_fs_add", { sum: 3 })
      assert.notProperty(shown.details, "withheld")
    }).pipe(Effect.provide(live({ fs: { tools: [add(SUM)], config: { onFinding: { outputMismatch: "withhold" } } } })))
  )

  it.effect("apply in their new form after a tool's definition changed", () =>
    Effect.gen(function* () {
      const { setTools } = yield* TestServers
      const runtime = yield* McpRuntime
      yield* runtime.tools
      yield* setTools("fs", [add({ type: "object", required: ["total"] })])
      yield* runtime.refresh
      assert.deepStrictEqual(noted(yield* call("mcp_fs_add", { sum: 3 })), [`${NOTE} required at $`])
    }).pipe(Effect.provide(live({ fs: { tools: [add(SUM)] } })))
  )

  it.effect("are not checked when they are too complex, and a note says so", () =>
    Effect.gen(function* () {
      assert.deepStrictEqual(noted(yield* call("mcp_fs_add", { text: `${"a".repeat(50)}!` })), [
        "the structured content is not checked: its output schema is too complex"
      ])
    }).pipe(
      Effect.provide(
        live({
          fs: {
            tools: [add({ properties: { text: { pattern: "^(a+)+$" } }, allOf: [{ $ref: "#" }, { $ref: "#" }] })]
          }
        })
      )
    )
  )
})
