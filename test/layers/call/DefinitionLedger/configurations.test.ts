/** Two configurations with servers of one name. */
import { assert, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import { mkdtempSync, readdirSync, rmSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import type { Catalogue } from "../../../../src/schemas/connection/Catalogue.ts"
import type { ServerConfig } from "../../../../src/schemas/connection/ServerConfig.ts"
import { DefinitionLedger } from "../../../../src/services/call/DefinitionLedger.ts"
import { catalogue, heard, ledgerIn, pinned, tool } from "../../../support/pins.ts"

const inFolder = <A, E, R>(body: (directory: string) => Effect.Effect<A, E, R>) =>
  Effect.acquireUseRelease(
    Effect.sync(() => mkdtempSync(join(tmpdir(), "mcp-live-pins-"))),
    body,
    (directory) => Effect.sync(() => rmSync(directory, { recursive: true, force: true }))
  )

const launched = (arg: string): Partial<ServerConfig> => ({
  launch: { kind: "stdio", command: "npx", args: ["files", arg], env: {}, cwd: undefined }
})

/** One process of a configuration: how the tools stand, and what was said. */
const run = (directory: string, configuration: string | undefined, config: ServerConfig, offered: Catalogue) => {
  const said = heard()
  return Effect.map(
    Effect.provide(
      DefinitionLedger.use(({ review }) =>
        Effect.sync(() => {
          const standing = review([{ config, catalogue: offered }])
          return offered.tools.map((definition) => standing(config, definition))
        })
      ),
      ledgerIn(directory, said, configuration),
      { local: true }
    ),
    (standings) => ({ pins: standings.map(({ open, pin }) => (open ? `${pin}, open` : pin)), lines: said.lines })
  )
}

const kept = (directory: string) =>
  Effect.provide(
    DefinitionLedger.use(({ list }) => list),
    ledgerIn(directory),
    { local: true }
  ).pipe(Effect.map((all) => all.flatMap((one) => (one._tag === "Pins" ? [one.pins] : []))))

const OFFER = () => catalogue([tool("read", "Reads a file")])
const OTHER = () => catalogue([tool("read", "Reads a file of the other project")])

describe("pins of two configurations", () => {
  for (const [what, other] of [
    ["in another way", launched("two")],
    ["in the same way", launched("one")]
  ] as const) {
    it.effect(`are separate for servers of one name that are started ${what}`, () =>
      inFolder((directory) =>
        Effect.gen(function* () {
          const [one, two] = [pinned("files", "block", launched("one")), pinned("files", "block", other)]
          for (let times = 0; times < 2; times++) {
            assert.deepStrictEqual(yield* run(directory, "aaaa", one, OFFER()), { pins: ["approved"], lines: [] })
            assert.deepStrictEqual(yield* run(directory, "bbbb", two, OTHER()), { pins: ["approved"], lines: [] })
          }
          assert.deepStrictEqual((yield* kept(directory)).map(({ configuration }) => configuration).toSorted(), [
            "aaaa",
            "bbbb"
          ])
        })
      )
    )
  }

  it.effect("still report a changed launch within one configuration", () =>
    inFolder((directory) =>
      Effect.gen(function* () {
        yield* run(directory, "aaaa", pinned("files", "block", launched("one")), OFFER())
        const { lines, pins } = yield* run(directory, "aaaa", pinned("files", "block", launched("two")), OFFER())
        assert.deepStrictEqual(pins, ["changed, open"])
        assert.isNotEmpty(lines)
      })
    )
  )

  it.effect("start from pins stored without a configuration, and are then approved separately", () =>
    inFolder((directory) =>
      Effect.gen(function* () {
        const config = pinned("files", "block", launched("one"))
        yield* run(directory, undefined, config, OFFER())
        for (const configuration of ["aaaa", "bbbb"]) {
          assert.deepStrictEqual((yield* run(directory, configuration, config, OTHER())).pins, ["changed, open"])
        }
        const all = yield* kept(directory)
        assert.deepStrictEqual(all.map(({ configuration }) => configuration).toSorted(), ["aaaa", "bbbb"])
        const { configuration, launch, server, tools } = all.find((pins) => pins.configuration === "aaaa")!
        const hash = tools.get("read")!.pending!.hash
        yield* Effect.provide(
          DefinitionLedger.use(({ decide }) =>
            decide({ server, launch, configuration, verdict: "approve", tools: [{ name: "read", hash }] })
          ),
          ledgerIn(directory),
          { local: true }
        )
        assert.deepStrictEqual((yield* run(directory, "aaaa", config, OTHER())).pins, ["approved"])
        assert.deepStrictEqual((yield* run(directory, "bbbb", config, OTHER())).pins, ["changed, open"])
        assert.lengthOf(
          readdirSync(join(directory, "pins")).filter((name) => name.endsWith(".json")),
          3
        )
      })
    )
  )
})
