/** Two gateways of one user work in one data directory, and one of them is killed in the middle of it. */
import { assert, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import { readdirSync, readFileSync } from "node:fs"
import { join } from "node:path"
import { AUDIT_CURRENT, rotatedAmong } from "../../../src/schemas/call/AuditFiles.ts"
import { parseAuditLine } from "../../../src/schemas/call/AuditRecord.ts"
import { alive } from "../../support/alive.ts"
import { wrappedIn } from "../../support/boundaries.ts"
import { listed } from "../../support/mcpClients.ts"
import { died } from "../../support/children.ts"
import { childrenOf } from "../../e2e/program.ts"
import { listening, overHttp, placeFor, real, type Place } from "./program.ts"

const CALLS = 60
const KILLED_AFTER = 20

const joined = Effect.fnUntraced(function* (place: Place) {
  const gateway = yield* listening(place)
  const [, path] = /the token in (\S+)/.exec(gateway.stderr()) ?? []
  const client = yield* overHttp("2025-11-25", gateway.url, readFileSync(path!, "utf8"))
  const tools = yield* listed(client, "tools/list", "mcp_all_echo", "mcp_mem_create_entities")
  return { ...gateway, client, tools }
})

const recordsIn = (home: string) => {
  const directory = join(home, "audit")
  return [...rotatedAmong(readdirSync(directory)), AUDIT_CURRENT]
    .flatMap((name) => readFileSync(join(directory, name), "utf8").split("\n").filter(Boolean))
    .map((line) => parseAuditLine(line))
}

describe.skipIf(process.platform !== "linux")("two gateways on one data directory", () => {
  it.live("lose, tear and lock nothing of each other's when one is killed", () =>
    Effect.gen(function* () {
      const place = yield* placeFor({
        mcp: {
          servers: {
            all: real("everything", ["stdio"], { limits: { perMinute: 0 } }),
            mem: real("memory", [], { pin: "warn" })
          }
        }
      })
      const [first, second] = yield* Effect.all([joined(place), joined(place)], { concurrency: 2 })
      const left = childrenOf(first.pid)
      assert.deepStrictEqual(first.tools, second.tools)

      const long = "words ".repeat(40_000)
      const call = ({ client }: typeof first, index: number) =>
        client.call("mcp_all_echo", { message: index % 10 === 0 ? `${index} ${long}` : `${index}` })
      const lost = Effect.promise(async () => {
        for (let index = 0; index < CALLS; index++) {
          if (index === KILLED_AFTER) void first.stop("SIGKILL")
          await call(first, index)
        }
      }).pipe(Effect.exit)
      const kept = Effect.promise(async () => {
        const answers: Array<string> = []
        for (let index = 0; index < CALLS; index++) answers.push(await call(second, index))
        return answers
      })
      const [, answers] = yield* Effect.all([lost, kept], { concurrency: 2 })
      for (const [index, answer] of answers.entries()) assert.include(wrappedIn(answer)[0]!.body, `Echo: ${index}`)
      const [, handle] = /handle[ "':=]+(r-[0-9a-f]+)/.exec(answers[0]!) ?? []
      assert.isDefined(handle, answers[0]!.slice(-500))
      assert.include(
        yield* Effect.promise(() => second.client.call("mcp_read_more", { handle, offset: 120_000 })),
        "words"
      )

      // The third one finds everything as the others left it, and ends what the killed one has left.
      const third = yield* joined(place)
      assert.deepStrictEqual(third.tools, second.tools)
      assert.include(yield* Effect.promise(() => call(third, 1)), "Echo: 1")
      yield* died(left)
      assert.isTrue(childrenOf(second.pid).every(alive))
      assert.strictEqual(yield* Effect.promise(() => second.stop()), 0)
      assert.strictEqual(yield* Effect.promise(() => third.stop()), 0)

      const files = readdirSync(place.home, { recursive: true, encoding: "utf8" })
      for (const name of files.filter((each) => each.endsWith(".json")))
        assert.doesNotThrow(() => JSON.parse(readFileSync(join(place.home, name), "utf8")), name)
      assert.isTrue(
        files.some((name) => /^pins\/.*\.json$/.test(name)),
        files.join()
      )
      assert.deepStrictEqual(
        files.filter((name) => /\.(lock|tmp|new)\b/.test(name)),
        [],
        "nothing is left of what was being written"
      )

      const records = recordsIn(place.home)
      assert.notInclude(records, undefined, "a line that is torn")
      const calls = records.filter((record) => record !== undefined && "tool" in record && record.tool === "echo")
      assert.isAtLeast(calls.length, CALLS + 1, "all of the gateways that ended with care")
    }).pipe(Effect.scoped)
  )
})
