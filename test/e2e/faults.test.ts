/** What refers to something that is not there costs the others nothing: a server, a model, a provider of secrets, a client. */
import { assert, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import { hostile } from "../fixtures/servers.ts"
import { runHere } from "./here.ts"
import { configFile, run } from "./program.ts"

const WHY =
  /openclaw\.json:(\d+): mcp\.servers\.broken\.env\.TOKEN: environment variable MCP_LIVE_TEST_UNSET is not set/

const config = configFile({
  mcp: { servers: { fs: hostile(), broken: { ...hostile(), env: { TOKEN: "${MCP_LIVE_TEST_UNSET}" } } } }
})

describe("a server whose variable is not set", () => {
  it.live("fails alone: start, status, tools and call work with the others, and say why", () =>
    Effect.gen(function* () {
      const file = yield* config
      const started = yield* run(["start", "--config", file], { stdin: "/tools\n" })
      assert.strictEqual(started.code, 0)
      assert.match(started.stdout, /broken .*Failed/)
      assert.match(started.stdout, WHY)
      assert.include(started.stdout, "mcp_fs_echo")
      const status = yield* runHere(["status", "--config", file])
      assert.match(status.stdout, /fs .*Ready/)
      assert.match(status.stdout, WHY)
      const tools = yield* runHere(["tools", "--config", file])
      assert.strictEqual(tools.code, 0)
      assert.include(tools.stdout, "mcp_fs_echo")
      assert.match(tools.stderr, WHY)
      const called = yield* runHere(["call", "fs/echo", "text=hello", "--config", file])
      assert.strictEqual(called.code, 0)
      assert.include(called.stdout, "hello")
      const refused = yield* runHere(["call", "broken/echo", "text=hello", "--config", file])
      assert.strictEqual(refused.code, 1)
      assert.match(refused.stderr, WHY)
      assert.notMatch(refused.stderr, /no tool is called/)
      assert.lengthOf(refused.stderr.match(new RegExp(WHY, "g"))!, 1)
      const whole = yield* runHere(["call", "mcp_broken_echo", "text=hello", "--config", file])
      assert.match(whole.stdout, WHY)
    }).pipe(Effect.scoped)
  )

  it.live("is an error of validate, with its place, and no server to log in at", () =>
    Effect.gen(function* () {
      const file = yield* config
      const plain = yield* runHere(["validate", "--config", file])
      assert.deepStrictEqual([plain.code, plain.stdout], [2, ""])
      assert.match(plain.stderr, WHY)
      const json = yield* runHere(["validate", "--json", "--config", file])
      assert.strictEqual(json.code, 2)
      assert.deepInclude(JSON.parse(json.stdout), { ok: false })
      const login = yield* runHere(["login", "broken", "--config", file])
      assert.strictEqual(login.code, 2)
      assert.match(login.stderr, WHY)
    }).pipe(Effect.scoped)
  )
})

describe("a model, a provider of secrets and a client whose variables are not set", () => {
  it.live("fail where they are used, and servers work", () =>
    Effect.gen(function* () {
      const unset = "${MCP_LIVE_TEST_UNSET}"
      const file = yield* configFile({
        mcp: {
          servers: { fs: hostile(), sealed: { ...hostile(), env: { TOKEN: "secret://vault/kv/app/token" } } },
          secrets: { vault: { address: "http://127.0.0.1:9", token: unset } },
          serve: { clients: [{ name: "one", token: unset }] }
        },
        agents: { defaults: { model: { id: "openai/m", apiKey: unset } } }
      })
      const at = (path: string) =>
        new RegExp(`openclaw\\.json:\\d+: ${path}: environment variable MCP_LIVE_TEST_UNSET is not`)
      const [model, vault, client] = [
        at("agents\\.defaults\\.model\\.apiKey"),
        at("mcp\\.secrets\\.vault\\.token"),
        at("mcp\\.serve\\.clients\\[0\\]\\.token")
      ]
      const tools = yield* runHere(["tools", "--config", file])
      assert.strictEqual(tools.code, 0)
      assert.include(tools.stdout, "mcp_fs_echo")
      assert.match(tools.stderr, vault)
      assert.notMatch(tools.stderr, model)
      const called = yield* runHere(["call", "fs/echo", "text=hello", "--config", file])
      assert.strictEqual(called.code, 0)
      for (const pattern of [model, vault, client]) assert.notMatch(called.stderr, pattern)
      const started = yield* run(["start", "--config", file], { stdin: "hello\n" })
      assert.strictEqual(started.code, 1)
      assert.match(started.stderr, model)
      assert.match(started.stderr, /The model cannot be used: /)
      const served = yield* run(["serve", "--http", "0", "--config", file])
      assert.notStrictEqual(served.code, 0)
      assert.match(served.stderr, client)
      const validated = yield* runHere(["validate", "--config", file])
      assert.strictEqual(validated.code, 2)
      for (const pattern of [model, vault, client]) assert.match(validated.stderr, pattern)
    }).pipe(Effect.scoped)
  )
})

describe("an entry of resourceFilter without a wildcard that is no resource of its server", () => {
  it.live("is told in the log, once, with what would match; the others are not", () =>
    Effect.gen(function* () {
      const resourceFilter = ["test://one", "test://no", "test://nothing-*"]
      const file = yield* configFile({ mcp: { servers: { fs: { ...hostile(), resourceFilter } } } })
      const { code, stderr, stdout } = yield* run(["start", "--config", file], { stdin: "/resources\n/resources\n" })
      assert.strictEqual(code, 0)
      assert.include(stdout, "test://one")
      const warnings = stderr.split("\n").filter((line) => line.includes("resourceFilter"))
      assert.lengthOf(warnings, 1, stderr)
      assert.match(
        warnings[0]!,
        /WARN +\[fs\] resourceFilter: "test:\/\/no" is not the URI of a resource of this server; \* matches anything$/
      )
    }).pipe(Effect.scoped)
  )
})
