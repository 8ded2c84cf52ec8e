import { assert, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { normalizeSchema } from "../../src/schemas/call/NormalizeSchema.ts"
import { serverPath, type RealServer } from "../fixtures/servers.ts"
import { connectorLayer, open, stdioConfig } from "../support/connector.ts"
import { inFolder } from "../support/folder.ts"
import { violations } from "../support/providerRules.ts"
import { corpus, PROVIDERS } from "../support/schemaCorpus.ts"

const SERVERS: ReadonlyArray<readonly [RealServer, ReadonlyArray<string>]> = [
  ["everything", []],
  ["filesystem", [tmpdir()]],
  ["memory", []]
]

describe("the tools of published servers", () => {
  for (const [name, args] of SERVERS) {
    it.live(`every tool of server-${name} can be offered to every provider`, () =>
      Effect.gen(function* () {
        const env = { MEMORY_FILE_PATH: join(yield* inFolder, "memory.json") }
        const { catalogue } = yield* open(
          stdioConfig(process.execPath, [], {
            launch: { kind: "stdio", command: process.execPath, args: [serverPath(name), ...args], env, cwd: undefined }
          })
        )
        assert.isAtLeast(catalogue.tools.length, 8)
        for (const tool of catalogue.tools) {
          for (const provider of PROVIDERS) {
            const normalized = normalizeSchema(tool.inputSchema, provider)
            assert.deepStrictEqual(violations[provider](normalized), [], `${tool.name} for ${provider}`)
            const given = Object.keys(tool.inputSchema["properties"] ?? {})
            assert.deepStrictEqual(Object.keys(normalized["properties"] ?? {}), given, tool.name)
            assert.deepStrictEqual(normalized["required"], tool.inputSchema["required"], tool.name)
          }
        }
      }).pipe(Effect.scoped, Effect.provide(connectorLayer))
    )
  }

  it("the schema of server-sequential-thinking can be used as it was published", () => {
    const published = corpus.find(({ name }) => name === "hand-sequential-thinking")
    for (const provider of PROVIDERS) {
      assert.deepStrictEqual(violations[provider](normalizeSchema(published?.schema, provider)), [])
    }
  })
})
