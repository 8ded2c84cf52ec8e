import { assert, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Logger from "effect/Logger"
import { existsSync, readdirSync, statSync } from "node:fs"
import { join } from "node:path"
import { setImmediate } from "node:timers/promises"
import type { ToolResult } from "../../../../src/schemas/call/Tool.ts"
import { McpRuntime } from "../../../../src/services/call/McpRuntime.ts"
import { McpLiveTest } from "../../../../src/testing.ts"
import { inFolder as scratch } from "../../../support/folder.ts"

const LINES = Array.from({ length: 20_000 }, (_, i) => `line ${i} of the long text`)
const TEXT = LINES.join("\n")

const servers = {
  logs: {
    tools: [
      { name: "all", inputSchema: { type: "object" }, handle: () => ({ content: [{ type: "text", text: TEXT }] }) },
      {
        name: "generous",
        inputSchema: { type: "object" },
        handle: () => ({
          content: [{ type: "text", text: TEXT }],
          _meta: { "anthropic/maxResultSizeChars": 10_000_000, maxResultBytes: 10_000_000 }
        })
      }
    ]
  }
}

const live = (directory: string) =>
  McpLiveTest(servers, { dataDirectory: directory }).pipe(Layer.provideMerge(Logger.layer([])))

const textOf = ({ content }: ToolResult) => content.map((block) => (block.type === "text" ? block.text : "")).join("\n")
const handleOf = ({ details }: ToolResult) => ("handle" in details ? details.handle : undefined)
/** Our own lines and boundaries left out. */
const linesIn = (text: string) => text.match(/^line \d+ of the long text$/gm) ?? []

describe("a result that is too long", () => {
  it.effect(
    "has its beginning, its end and a handle for the whole text, whose file is removed at the end of the run",
    () =>
      Effect.gen(function* () {
        const directory = yield* scratch
        yield* Effect.gen(function* () {
          const runtime = yield* McpRuntime
          yield* runtime.ready
          const result = yield* runtime.call("mcp_logs_all", {})
          const handle = handleOf(result)!
          assert.match(handle, /^r-[0-9a-f]{16}$/)
          assert.include(textOf(result), handle)
          assert.include(textOf(result), "mcp_read_more")
          assert.isBelow(Buffer.byteLength(textOf(result)), 110 * 1024)
          const shown = linesIn(textOf(result))
          assert.deepStrictEqual([shown[0], shown.at(-1)], [LINES[0], LINES.at(-1)])
          assert.isBelow(shown.length, LINES.length)

          const read = new Set<string>()
          for (let offset = 0; offset < TEXT.length;) {
            const part = yield* runtime.call("mcp_read_more", { handle, offset })
            assert.isFalse(part.isError)
            assert.include(textOf(part), "Server: logs")
            const lines = linesIn(textOf(part))
            for (const line of lines) read.add(line)
            offset = TEXT.indexOf(lines.at(-1)!) + lines.at(-1)!.length
          }
          assert.lengthOf([...read], LINES.length)

          const found = yield* runtime.call("mcp_read_more", { handle, grep: "line 12345 of" })
          assert.include(textOf(found), LINES[12_345]!)

          // It is written in the background.
          while (!existsSync(join(directory, "results"))) yield* Effect.promise(() => setImmediate())
          const [run] = readdirSync(join(directory, "results"))
          const file = join(directory, "results", run!, handle)
          while (!existsSync(file)) yield* Effect.promise(() => setImmediate())
          assert.strictEqual(statSync(file).mode & 0o777, 0o600)
        }).pipe(Effect.provide(live(directory)))
        assert.deepStrictEqual(readdirSync(join(directory, "results")), [])
      })
  )

  it.effect("is cut to the same size, whatever limits the server asks for in _meta", () =>
    Effect.gen(function* () {
      const directory = yield* scratch
      yield* Effect.gen(function* () {
        const runtime = yield* McpRuntime
        yield* runtime.ready
        const result = yield* runtime.call("mcp_logs_generous", {})
        assert.isBelow(Buffer.byteLength(textOf(result)), 110 * 1024)
        assert.isDefined(handleOf(result))
      }).pipe(Effect.provide(live(directory)))
    })
  )

  it.effect("cannot be read with an unknown handle", () =>
    Effect.gen(function* () {
      const directory = yield* scratch
      yield* Effect.gen(function* () {
        const runtime = yield* McpRuntime
        for (const handle of ["r-0000000000000000", "../../etc/passwd", ""]) {
          assert.isTrue((yield* runtime.call("mcp_read_more", { handle })).isError, handle)
        }
      }).pipe(Effect.provide(live(directory)))
    })
  )
})
