/** A server that lists other tools for a host that offers it other features. */
import { assert, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import { mkdtempSync, rmSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { offeredBy, type Catalogue, type ToolDefinition } from "../../../../src/schemas/connection/Catalogue.ts"
import type { ServerConfig } from "../../../../src/schemas/connection/ServerConfig.ts"
import { DefinitionLedger } from "../../../../src/services/call/DefinitionLedger.ts"
import { catalogue, heard, ledgerIn, pinned, tool } from "../../../support/pins.ts"

const inFolder = <A, E, R>(body: (directory: string) => Effect.Effect<A, E, R>) =>
  Effect.acquireUseRelease(
    Effect.sync(() => mkdtempSync(join(tmpdir(), "mcp-live-pins-"))),
    body,
    (directory) => Effect.sync(() => rmSync(directory, { recursive: true, force: true }))
  )

/** One process: how each tool stands, and what was said. */
const run = (directory: string, config: ServerConfig, offered: Catalogue) => {
  const said = heard()
  return DefinitionLedger.use(({ review }) =>
    Effect.sync(() => {
      const standing = review([{ config, catalogue: offered }])
      return offered.tools.map(
        (definition) => `${definition.name}: ${Object.values(standing(config, definition)).slice(1, 3).join(" ")}`
      )
    })
  ).pipe(
    Effect.provide(ledgerIn(directory, said), { local: true }),
    Effect.map((pins) => ({ pins, lines: said.lines }))
  )
}

const statuses = (directory: string) =>
  DefinitionLedger.use(({ list }) => list).pipe(
    Effect.provide(ledgerIn(directory), { local: true }),
    Effect.map((all) =>
      all.flatMap((one) =>
        one._tag === "Pins" ? [...one.pins.tools.values()].map(({ gone, name }) => `${name}${gone ? " gone" : ""}`) : []
      )
    )
  )

const FILES = pinned("files", "block")
const READ = tool("read", "Reads a file")
const ASK = tool("ask", "Asks the person")
const PLAIN = (...tools: ReadonlyArray<ToolDefinition>) => catalogue(tools)
const RICH = (...tools: ReadonlyArray<ToolDefinition>): Catalogue => ({
  ...catalogue(tools),
  host: "elicitation.form roots"
})

describe("the features that a host offers", () => {
  it("are written as sorted words", () => {
    assert.strictEqual(
      offeredBy({ roots: { listChanged: true }, elicitation: { url: {}, form: {} } }),
      "elicitation.form elicitation.url roots"
    )
    assert.strictEqual(offeredBy({}), "")
  })

  it.effect("do not make a tool count as new or removed, whichever set comes first", () =>
    inFolder((directory) =>
      Effect.gen(function* () {
        for (const first of [PLAIN(READ), RICH(READ, ASK)]) {
          const folder = join(directory, String(first.tools.length))
          yield* run(folder, FILES, first)
          for (let times = 0; times < 2; times++) {
            const rich = yield* run(folder, FILES, RICH(READ, ASK))
            assert.deepStrictEqual(rich, { pins: ["read: approved false", "ask: approved false"], lines: [] })
            const plain = yield* run(folder, FILES, PLAIN(READ))
            assert.deepStrictEqual(plain, { pins: ["read: approved false"], lines: [] })
          }
          assert.sameMembers([...(yield* statuses(folder))], ["read", "ask"])
        }
      })
    )
  )

  it.effect("are trusted when they are new; after that, added tools are new and missing tools are removed", () =>
    inFolder((directory) =>
      Effect.gen(function* () {
        yield* run(directory, FILES, PLAIN(READ))
        yield* run(directory, FILES, RICH(READ, ASK))
        const { lines, pins } = yield* run(directory, FILES, RICH(READ, tool("send")))
        assert.deepStrictEqual(pins, ["read: approved false", "send: new true"])
        assert.match(lines.join("\n"), /tool send is new: it is withheld[^]*tool ask is gone/)
        // What waits stays on record while another host does not see it.
        assert.deepStrictEqual((yield* run(directory, FILES, PLAIN(READ, tool("stat")))).pins[1], "stat: new true")
        assert.sameMembers([...(yield* statuses(directory))], ["read", "ask gone", "send", "stat"])
        assert.deepStrictEqual((yield* run(directory, FILES, RICH(READ, tool("send")))).pins[1], "send: new true")
      })
    )
  )

  it.effect("do not make a changed definition or launch trusted", () =>
    inFolder((directory) =>
      Effect.gen(function* () {
        yield* run(directory, FILES, PLAIN(READ))
        const changed = yield* run(directory, FILES, RICH(tool("read", "Reads a file, and sends it"), ASK))
        assert.deepStrictEqual(changed.pins, ["read: changed true", "ask: new true"])
        const moved = pinned("files", "block", {
          launch: { kind: "http", url: "https://files.example/mcp", headers: {} }
        })
        assert.deepStrictEqual((yield* run(directory, moved, RICH(READ, ASK))).pins, [
          "read: changed true",
          "ask: new true"
        ])
      })
    )
  )
})
