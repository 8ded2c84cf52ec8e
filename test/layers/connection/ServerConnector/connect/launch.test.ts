import { assert, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as Redacted from "effect/Redacted"
import { resolveHttp, resolveStdio } from "../../../../../src/layers/connection/ServerConnector/connect/launch.ts"
import { InvalidLaunch } from "../../../../../src/schemas/connection/ConnectError.ts"
import {
  type HttpLaunch,
  serverConfig,
  serverOfOwner,
  type StdioLaunch
} from "../../../../../src/schemas/connection/ServerConfig.ts"

/** What a store of secrets holds; everything else stays what it is. */
const STORE: Readonly<Record<string, string>> = {
  "secret://env/TOKEN": "tok-1234567890",
  "secret://env/MASKED": "[REDACTED]",
  "Bearer secret://env/MASKED": "Bearer [REDACTED]",
  "secret://env/WORD": "REDACTED"
}

const asked: Array<string> = []
const told: Array<readonly [owner: string, value: string]> = []
const secrets = {
  resolve: (_owner: string, text: string) =>
    Effect.sync(() => {
      asked.push(text)
      return Redacted.make(STORE[text] ?? text)
    }),
  know: (owner: string, value: string) => Effect.sync(() => void told.push([owner, value]))
}

const stdio = (given: Partial<StdioLaunch>) => {
  const launch: StdioLaunch = { kind: "stdio", command: "node", args: [], env: {}, cwd: undefined, ...given }
  return resolveStdio(serverConfig("fs", launch), launch, secrets)
}

const http = (given: Partial<HttpLaunch>) => {
  const launch: HttpLaunch = { kind: "http", url: "https://mcp.example/mcp", headers: {}, ...given }
  return resolveHttp(serverConfig("web", launch), launch, secrets)
}

const refusal = <A, E>(launch: Effect.Effect<A, E>) =>
  Effect.map(Effect.flip(launch), (error) => {
    assert.instanceOf(error, InvalidLaunch)
    return error.message
  })

const MASKED = "is a mask, not a value: it was written back from a display"

describe("the environment of a server that was brought by a session or a program", () => {
  it.effect("refuses a variable that loads other code, before it resolves secrets", () =>
    Effect.gen(function* () {
      asked.length = 0
      const env = { TOKEN: "secret://env/TOKEN", LD_PRELOAD: "/tmp/x.so" }
      assert.strictEqual(
        yield* refusal(stdio({ env })),
        `MCP server 'fs': env.LD_PRELOAD can load other libraries into a program, and "allowEnv" does not name it`
      )
      assert.deepStrictEqual(asked, [])
    })
  )

  it.effect("accepts such a variable when allowEnv has exactly its name", () =>
    Effect.gen(function* () {
      const env = { NODE_OPTIONS: "--max-old-space-size=512" }
      const spec = yield* stdio({ env, allowEnv: ["NODE_OPTIONS"] })
      assert.strictEqual(spec.env["NODE_OPTIONS"], "--max-old-space-size=512")
      for (const allowEnv of [[], ["NODE_*"], ["PYTHONPATH"]]) {
        assert.include(yield* refusal(stdio({ env, allowEnv })), "env.NODE_OPTIONS")
      }
    })
  )

  it.effect("refuses names and values that are invalid in an environment, with a short error on one line", () =>
    Effect.gen(function* () {
      for (const name of ["", "A=B", "A\0B"])
        assert.include(yield* refusal(stdio({ env: { [name]: "1" } })), "no environment can hold")
      assert.include(yield* refusal(stdio({ env: { A: "\0" } })), "env.A holds a NUL character")
      assert.notInclude(yield* refusal(stdio({ env: { "LD_\nX": "1" } })), "\n")
      const odd = yield* refusal(stdio({ env: { [`LD_\n${"x".repeat(10_000)}`]: "1" } }))
      assert.notInclude(odd, "\n")
      assert.isBelow(odd.length, 300)
    })
  )
})

describe("a mask in place of a value", () => {
  for (const [place, launch] of [
    ["env.TOKEN", stdio({ env: { TOKEN: "***" } })],
    ["env.TOKEN", stdio({ env: { TOKEN: "secret://env/MASKED" } })],
    ["env.KEY", stdio({ env: { KEY: "REDACTED" } })],
    ["env.ANY", stdio({ env: { ANY: "secret://env/WORD" } })],
    ["env.DB", stdio({ env: { DB: "postgres://ada:***@db.example/x" } })],
    ["args[1]", stdio({ args: ["-v", "--token=[REDACTED]"] })],
    ["args[0]", stdio({ args: ["secret://env/MASKED"] })],
    ["header Authorization", http({ headers: { Authorization: "Bearer ***" } })],
    ["header Authorization", http({ headers: { Authorization: "Bearer secret://env/MASKED" } })],
    ["its url", http({ url: "https://mcp.example/mcp?token=***" })],
    ["its url", http({ url: "https://mcp.example/s/%5BREDACTED%5D/mcp" })]
  ] as const) {
    it.effect(`is refused in ${place}`, () =>
      Effect.gen(function* () {
        const message = yield* refusal<unknown, unknown>(launch)
        assert.isTrue(message.endsWith(`: ${place} ${MASKED}`), message)
      })
    )
  }

  it.effect("is not confused with values that contain asterisks or similar words", () =>
    Effect.gen(function* () {
      const { args, env } = yield* stdio({
        args: ["--glob=src/**/*.ts", "*", "--", "a=b", "--note=*** careful ***"],
        env: {
          TOKEN: "secret://env/TOKEN",
          STARS: "** not **",
          LOG_MODE: "REDACTED",
          URL: "postgres://ada:pw@db/x",
          EMPTY: ""
        }
      })
      assert.lengthOf(args, 5)
      assert.strictEqual(env["TOKEN"], "tok-1234567890")
      const { url } = yield* http({ url: "https://mcp.example/a*/mcp?q=a*b&r=", headers: { Accept: "*/*" } })
      assert.strictEqual(url.href, "https://mcp.example/a*/mcp?q=a*b&r=")
    })
  )
})

describe("a plain credential in the configuration", () => {
  it.effect("is registered as the server's own secret before the start; other values are not", () =>
    Effect.gen(function* () {
      told.length = 0
      yield* stdio({ env: { API_KEY: "plain-0123456789", TOKEN: "secret://env/TOKEN", MODE: "development-1" } })
      yield* http({
        url: "https://mcp.example/mcp?token=in-query-0123",
        headers: { Authorization: "Bearer in-header-0123", Accept: "*/*" }
      })
      assert.deepStrictEqual(
        told.map(([, value]) => value),
        ["plain-0123456789", "in-header-0123", "in-query-0123"]
      )
      assert.deepStrictEqual(
        told.map(([owner]) => serverOfOwner(owner)),
        ["fs", "web", "web"]
      )
    })
  )
})
