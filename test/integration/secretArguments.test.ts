import { assert, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Logger from "effect/Logger"
import * as References from "effect/References"
import { existsSync, readFileSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import * as ConfigSourceLayer from "../../src/layers/config/ConfigSource.ts"
import { McpLive } from "../../src/layers/McpLive.ts"
import * as SecretResolverLayer from "../../src/layers/secret/SecretResolver.ts"
import type { ToolResult } from "../../src/schemas/call/Tool.ts"
import { McpRuntime } from "../../src/services/call/McpRuntime.ts"
import { serverPath } from "../fixtures/servers.ts"
import { inFolder } from "../support/folder.ts"

const KEY = 'sk-of-everything-"0123"/4567+89'
const OTHER = "sk-of-files-zyxwvutsrq"

/** Stands in the configuration as it is. */
const PLAIN = "plain-text-0123456789"

const textOf = (result: ToolResult) =>
  result.content.map((block) => (block.type === "text" ? block.text : `[${block.mimeType}]`)).join("\n")
const tagOf = (result: ToolResult) => ("error" in result.details ? result.details.error.tag : undefined)

/** Two published servers, each with a secret of its own, and the lines that were logged meanwhile. */
const withServers = <A, E>(
  use: (folder: string, lines: ReadonlyArray<string>) => Effect.Effect<A, E, McpRuntime>,
  more: object = {}
) =>
  Effect.gen(function* () {
    const folder = yield* inFolder
    const lines: Array<string> = []
    const logger = Logger.make((entry) => void lines.push(Logger.formatJson.log(entry)))
    const config = {
      mcp: {
        servers: {
          everything: {
            command: process.execPath,
            args: [serverPath("everything"), "stdio"],
            env: { API_KEY: "secret://env/KEY", DB_PASSWORD: PLAIN }
          },
          files: {
            command: process.execPath,
            args: [serverPath("filesystem"), folder],
            env: { TOKEN: "secret://env/OTHER" },
            ...more
          }
        }
      }
    }
    const live = McpLive({
      replace: {
        config: ConfigSourceLayer.layerObject(config),
        secrets: SecretResolverLayer.layer({ env: { KEY, OTHER } })
      }
    }).pipe(Layer.provideMerge([Logger.layer([logger]), Layer.succeed(References.MinimumLogLevel, "All")]))
    return yield* Effect.gen(function* () {
      yield* (yield* McpRuntime).ready
      return yield* use(folder, lines)
    }).pipe(Effect.provide(live))
  }).pipe(Effect.scoped)

describe("secrets in arguments: real servers", () => {
  it.live("a secret of one server never reaches another, in no form", () =>
    withServers((folder, lines) =>
      Effect.gen(function* () {
        const runtime = yield* McpRuntime
        const path = join(folder, "out.txt")
        const forms = [
          `key=${KEY}`,
          encodeURIComponent(KEY),
          Buffer.from(`user:${KEY}`).toString("base64"),
          Buffer.from(KEY).toString("hex"),
          JSON.stringify({ key: KEY }),
          JSON.stringify({ key: KEY }).replace("sk-of", "\\u0073\\u006b-of"),
          KEY.replaceAll('"', "&quot;")
        ]
        for (const content of forms) {
          const result = yield* runtime.call("mcp_files_write_file", { path, content })
          assert.strictEqual(tagOf(result), "SecretInArguments", content)
          assert.notInclude(textOf(result), "4567")
          assert.isFalse(existsSync(path))
        }
        assert.isFalse((yield* runtime.call("mcp_files_write_file", { path, content: "harmless" })).isError)
        assert.strictEqual(readFileSync(path, "utf8"), "harmless")
        const log = lines.join("\n")
        assert.include(log, "SecretInArguments")
        assert.notInclude(log, "4567")
      })
    )
  )

  it.live("a server's own secret reaches it, and is masked in what comes back", () =>
    withServers(() =>
      Effect.gen(function* () {
        const runtime = yield* McpRuntime
        const echoed = yield* runtime.call("mcp_everything_echo", { message: `mine: ${KEY}` })
        assert.isFalse(echoed.isError)
        assert.include(textOf(echoed), "mine: [REDACTED]")
        const other = yield* runtime.call("mcp_everything_echo", { message: OTHER })
        assert.strictEqual(tagOf(other), "SecretInArguments")
      })
    )
  )

  it.live("a secret in plain text in the configuration reaches its own server only", () =>
    withServers((folder, lines) =>
      Effect.gen(function* () {
        const runtime = yield* McpRuntime
        const path = join(folder, "out.txt")
        const refused = yield* runtime.call("mcp_files_write_file", { path, content: `password: ${PLAIN}` })
        assert.strictEqual(tagOf(refused), "SecretInArguments")
        assert.isFalse(existsSync(path))
        const echoed = yield* runtime.call("mcp_everything_echo", { message: `mine: ${PLAIN}` })
        assert.include(textOf(echoed), "mine: [REDACTED]")
        assert.notInclude(lines.join("\n"), PLAIN)
      })
    )
  )

  it.live("a mask is not written over a value, and prose about one is written", () =>
    withServers((folder) =>
      Effect.gen(function* () {
        const runtime = yield* McpRuntime
        const path = join(folder, ".env")
        writeFileSync(path, `API_KEY=${KEY}\nPORT=1\n`)
        const read = yield* runtime.call("mcp_files_read_text_file", { path })
        assert.include(textOf(read), "API_KEY=[REDACTED]\nPORT=1")
        const content = "API_KEY=[REDACTED]\nPORT=2\n"
        const written = yield* runtime.call("mcp_files_write_file", { path, content })
        assert.strictEqual(tagOf(written), "SecretInArguments")
        assert.include(textOf(written), "do not write the mask")
        assert.include(readFileSync(path, "utf8"), KEY)
        const note = "the key is shown as [REDACTED] in the log"
        const noted = yield* runtime.call("mcp_files_write_file", { path: join(folder, "note.txt"), content: note })
        assert.isFalse(noted.isError)
        assert.strictEqual(readFileSync(join(folder, "note.txt"), "utf8"), note)
      })
    )
  )

  it.live("prompts, completions and URIs of resources carry no secret of another server either", () =>
    withServers(() =>
      Effect.gen(function* () {
        const runtime = yield* McpRuntime
        const prompts = yield* runtime.prompts
        const prompt = prompts.find(({ arguments: known }) => known.length > 0)!
        const args = Object.fromEntries(prompt.arguments.map(({ name }) => [name, OTHER]))
        const refused = [
          yield* Effect.flip(runtime.getPrompt(prompt.name, args)),
          yield* Effect.flip(runtime.readResource(`test://${OTHER}`, "everything")),
          yield* Effect.flip(
            runtime.complete({ type: "prompt", name: prompt.name }, { name: prompt.arguments[0]!.name, value: OTHER })
          )
        ]
        for (const error of refused) {
          assert.strictEqual(error._tag, "SecretInArguments")
          assert.notInclude(error.message, "zyxw")
        }
      })
    )
  )

  it.live("all of it is sent to a server for which it is switched off", () =>
    withServers(
      (folder) =>
        Effect.gen(function* () {
          const runtime = yield* McpRuntime
          const path = join(folder, "out.txt")
          assert.isFalse((yield* runtime.call("mcp_files_write_file", { path, content: KEY })).isError)
          assert.strictEqual(readFileSync(path, "utf8"), KEY)
        }),
      { blockSecretArguments: false }
    )
  )
})
