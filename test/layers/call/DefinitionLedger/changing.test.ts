/** A server of full size whose definitions are all different at each list: what is written of it is bounded, and nothing is lost. */
import { assert, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as TestClock from "effect/testing/TestClock"
import { mkdtempSync, readdirSync, readFileSync, rmSync, statSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { LIST_MAX_ITEMS } from "../../../../src/schemas/defaults/Definitions.ts"
import { PINS_WRITE_BURST_BYTES, PINS_WRITE_BYTES_PER_SECOND } from "../../../../src/schemas/defaults/Pins.ts"
import { AUDIT_DEFINITIONS_SHARE } from "../../../../src/schemas/defaults/Shares.ts"
import { readPins } from "../../../../src/schemas/call/Pins.ts"
import type { ServerConfig } from "../../../../src/schemas/connection/ServerConfig.ts"
import { DefinitionLedger } from "../../../../src/services/call/DefinitionLedger.ts"
import type { DefinitionRecord } from "../../../../src/services/call/AuditLog.ts"
import { catalogue, heard, ledgerIn, pinned, tool } from "../../../support/pins.ts"

/** So many that without a limit several times as much would be written. */
const CHANGES = 6
const SECOND_MS = 1_000

const edition = (number: number, count = LIST_MAX_ITEMS) =>
  catalogue(
    Array.from({ length: count }, (_, i) =>
      tool(`tool_${i}`, `Edition ${number}`, {
        inputSchema: { type: "object", properties: { a: { type: "string", description: "x".repeat(3_000) } } }
      })
    )
  )

const look = (config: ServerConfig, number: number, count?: number) =>
  DefinitionLedger.use(({ review }) =>
    Effect.sync(() => {
      const offered = edition(number, count)
      const standing = review([{ config, catalogue: offered }])
      return offered.tools.map((definition) => standing(config, definition).pin)
    })
  )

const inFolder = <A, E, R>(body: (directory: string) => Effect.Effect<A, E, R>) =>
  Effect.acquireUseRelease(
    Effect.sync(() => mkdtempSync(join(tmpdir(), "mcp-live-pins-"))),
    body,
    (directory) => Effect.sync(() => rmSync(directory, { recursive: true, force: true }))
  )

const turn = Effect.promise(() => new Promise((resolve) => setImmediate(resolve)))

/** Counts the bytes of each file that took the place of another one. */
const writes = (directory: string) => {
  const folder = join(directory, "pins")
  const seen = new Set<bigint>()
  let bytes = 0
  const names = () => {
    try {
      return readdirSync(folder)
    } catch {
      return []
    }
  }
  const note = Effect.sync(() => {
    for (const name of names().filter((one) => one.endsWith(".json"))) {
      const { ctimeNs, size } = statSync(join(folder, name), { bigint: true })
      if (seen.has(ctimeNs)) continue
      seen.add(ctimeNs)
      bytes += Number(size)
    }
  })
  return {
    /** Until nobody writes: what is written has a name of its own before it takes its place. */
    settled: Effect.gen(function* () {
      for (let quiet = 0; quiet < 50;) {
        yield* turn
        quiet = names().some((one) => !one.endsWith(".json")) ? 0 : quiet + 1
        yield* note
      }
    }),
    bytes: () => bytes
  }
}

const definitions = (decided: ReadonlyArray<unknown>) => decided as ReadonlyArray<DefinitionRecord>

describe("DefinitionLedger with a server that keeps changing 2,000 tools", () => {
  it.effect("limits the bytes that it writes over time, and writes the last state at the end", () =>
    inFolder((directory) =>
      Effect.gen(function* () {
        const config = pinned("flood", "warn")
        const written = writes(directory)
        yield* Effect.provide(
          Effect.gen(function* () {
            for (let change = 0; change <= CHANGES; change++) {
              yield* look(config, change)
              yield* TestClock.adjust(SECOND_MS)
              yield* written.settled
            }
          }),
          ledgerIn(directory),
          { local: true }
        )
        const [name = ""] = readdirSync(join(directory, "pins"))
        const file = readFileSync(join(directory, "pins", name), "utf8")
        const most = PINS_WRITE_BURST_BYTES + CHANGES * PINS_WRITE_BYTES_PER_SECOND + file.length
        assert.isAtMost(written.bytes(), most)
        const pins = readPins(file)!
        assert.strictEqual(pins.tools.size, LIST_MAX_ITEMS)
        for (const { approved, pending } of pins.tools.values()) {
          assert.strictEqual(approved?.definition.description, "Edition 0")
          assert.strictEqual(pending?.definition.description, `Edition ${CHANGES}`)
        }
      })
    )
  )

  it.effect("writes at most one audit record per list, with the number of changed tools", () =>
    inFolder((directory) =>
      Effect.gen(function* () {
        const config = pinned("flood", "warn")
        const listened = heard()
        yield* Effect.provide(
          Effect.gen(function* () {
            for (let change = 0; change <= CHANGES; change++) {
              yield* look(config, change)
              yield* TestClock.adjust(SECOND_MS)
            }
          }),
          ledgerIn(directory, listened),
          { local: true }
        )
        const lines = definitions(listened.decided)
        assert.isAtMost(lines.length, CHANGES)
        for (const { change, hash, tool: named } of lines) {
          assert.deepStrictEqual([change, named, hash], ["changed", undefined, undefined])
        }
        assert.strictEqual(
          lines.reduce((sum, { count = 1 }) => sum + count, 0),
          CHANGES * LIST_MAX_ITEMS
        )
      })
    )
  )

  it.effect("writes a record per tool for small changes, until the server's share of the log is used up", () =>
    inFolder((directory) =>
      Effect.gen(function* () {
        const { burst, perHour } = AUDIT_DEFINITIONS_SHARE
        const config = pinned("drip", "warn")
        const listened = heard()
        const changes = burst
        yield* Effect.provide(
          Effect.gen(function* () {
            for (let change = 0; change <= changes; change++) {
              yield* look(config, change, 10)
              yield* TestClock.adjust(SECOND_MS)
            }
          }),
          ledgerIn(directory, listened),
          { local: true }
        )
        const lines = definitions(listened.decided)
        assert.isAtMost(lines.length, burst + (perHour * changes) / 3_600 + 1)
        assert.isAtLeast(lines.filter(({ tool: named }) => named !== undefined).length, burst - 10)
        assert.strictEqual(
          lines.reduce((sum, { count = 1 }) => sum + count, 0),
          changes * 10
        )
      })
    )
  )

  it.effect("accepts a decision on the stored definition while a newer one waits to be written", () =>
    inFolder((directory) =>
      Effect.gen(function* () {
        const config = pinned("flood", "block")
        yield* Effect.provide(
          Effect.gen(function* () {
            const written = writes(directory)
            // The burst is used up by the first ones.
            let last = 0
            for (; written.bytes() <= PINS_WRITE_BURST_BYTES; last++) {
              yield* look(config, last)
              yield* TestClock.adjust(SECOND_MS)
              yield* written.settled
            }
            yield* look(config, last)
            yield* TestClock.adjust(SECOND_MS)
            yield* written.settled
            const ledger = yield* DefinitionLedger
            const [kept] = yield* ledger.list
            assert.isTrue(kept?._tag === "Pins")
            if (kept?._tag !== "Pins") return
            const waits = kept.pins.tools.get("tool_0")!
            const isBehind = `Edition ${last - 1}`
            assert.strictEqual(waits.pending?.definition.description, isBehind)
            const tools = [{ name: "tool_0", hash: waits.pending?.hash }]
            const { launch } = kept.pins
            assert.deepStrictEqual(yield* ledger.decide({ server: "flood", launch, verdict: "approve", tools }), [
              "tool_0"
            ])
            assert.deepStrictEqual((yield* look(config, last - 1)).slice(0, 2), ["approved", "changed"])
          }),
          ledgerIn(directory),
          { local: true }
        )
      })
    )
  )
})
