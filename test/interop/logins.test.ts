/** Other people's clients log in at a gateway by themselves: the inspector's command line and web page, and mcporter, as published. */
import { assert, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import type * as Scope from "effect/Scope"
import { execFile } from "node:child_process"
import { chmodSync, mkdirSync, writeFileSync } from "node:fs"
import { delimiter, dirname, join } from "node:path"
import { fileURLToPath } from "node:url"
import { folder, listeningTo, placeFor, real, type Loose } from "../integration/serve/program.ts"
import { freePort } from "../support/freePort.ts"
import { oidcProvider } from "../support/oidcProvider.ts"
import { missing } from "../support/chromium.ts"
import { inspectorPage } from "./inspectorPage.ts"

const at = (path: string) => fileURLToPath(new URL(path, import.meta.url))
const inClients = (path: string) => at(`clients/node_modules/.bin/${path}`)

/** Each of them starts several programs. */
const PATIENT_MS = 180_000

/** And a browser. */
const PAGE_PATIENT_MS = 300_000

const ECHO = "mcp_all_echo"
const DENIED = "mcp_all_get-env"

/** A gateway with an authorization server. Ada may use everything but one tool, and nobody else is let in. */
const gateway = Effect.gen(function* () {
  let person = "ada"
  const { issuer } = yield* oidcProvider({ person: () => person, scope: "mcp admin", refresh: false })
  const port = yield* freePort
  const url = `http://127.0.0.1:${port}/mcp`
  const start = Effect.fnUntraced(function* (scopes: ReadonlyArray<string>) {
    const denying = (...tools: ReadonlyArray<string>) => ({
      mcp: {
        servers: { all: real("everything", ["stdio"]) },
        clients: {
          resource: url,
          issuers: [{ issuer, scopes, claims: { person: "email" } }],
          rules: [{ who: ["ada@example.com"] }, { who: ["*"], tools: { deny: ["all/get-env", ...tools] } }]
        }
      }
    })
    const { file, home } = yield* placeFor(denying())
    const running = yield* listeningTo(home, ["--config", file, "--http", "--port", String(port)])
    return { ...running, deny: (tool: string) => writeFileSync(file, JSON.stringify(denying(tool))) }
  })
  return { url, start, comes: (name: string) => void (person = name) }
})

interface Finished {
  readonly code: number
  readonly stdout: string
  readonly stderr: string
}

/** A home directory whose desktop opens addresses in the browser, and a program in it. */
const desktop = Effect.gen(function* () {
  const home = yield* folder
  const bin = join(home, "bin")
  const opens = join(bin, "xdg-open")
  mkdirSync(bin)
  writeFileSync(opens, `#!/bin/sh\nexec '${process.execPath}' '${at("browser.ts")}' "$1"\n`)
  chmodSync(opens, 0o755)
  const env = {
    PATH: [bin, dirname(process.execPath), process.env["PATH"]].join(delimiter),
    HOME: home,
    NO_COLOR: "1",
    BROWSER: opens,
    // The inspector opens no browser by itself without a terminal, and has no keychain here.
    MCP_AUTO_OPEN_ENABLED: "true",
    MCP_INSPECTOR_SECRET_STORE: "file"
  }
  const run = (program: string, args: ReadonlyArray<string>, answer = "") =>
    Effect.callback<Finished>((resume) => {
      const child = execFile(
        process.execPath,
        [inClients(program), ...args],
        { cwd: home, env, timeout: 90_000 },
        (error, stdout, stderr) =>
          resume(Effect.succeed({ code: error === null ? 0 : Number(error.code ?? 1), stdout, stderr }))
      )
      child.stdin!.end(answer)
    })
  return { home, run }
})

/** What a client does, in its own words. */
interface Client {
  /** What its person does first, where a list alone does not lead to the login. */
  readonly login?: Effect.Effect<Finished>
  /** What its person does when it needs more than it was given. */
  readonly again: Effect.Effect<Finished>
  readonly list: Effect.Effect<Finished>
  readonly call: (tool: string, args: Readonly<Record<string, string>>) => Effect.Effect<Finished>
}

const inspector = Effect.fnUntraced(function* (url: string): Effect.fn.Return<Client, never, Scope.Scope> {
  const { run } = yield* desktop
  const callback = `http://127.0.0.1:${yield* freePort}/oauth/callback`
  const inspect = (...args: ReadonlyArray<string>) =>
    run("mcp-inspector", ["--cli", url, "--transport", "http", "--callback-url", callback, ...args], "y\n")
  return {
    // By itself, it asks for the scopes that it had before.
    again: inspect("--relogin", "--method", "tools/list"),
    list: inspect("--method", "tools/list"),
    call: (tool, args) => {
      const given = Object.entries(args).map((pair) => pair.join("="))
      return inspect("--method", "tools/call", "--tool-name", tool, ...given.flatMap((one) => ["--tool-arg", one]))
    }
  }
})

const mcporter = Effect.fnUntraced(function* (url: string): Effect.fn.Return<Client, never, Scope.Scope> {
  const { home, run } = yield* desktop
  const config = join(home, "mcporter.json")
  writeFileSync(config, JSON.stringify({ mcpServers: { gateway: { baseUrl: url, auth: "oauth" } } }))
  const port = (...args: ReadonlyArray<string>) => run("mcporter", ["--config", config, ...args])
  return {
    login: port("auth", "gateway"),
    again: port("auth", "gateway"),
    list: port("list", "gateway", "--json"),
    call: (tool, args) =>
      port("call", `gateway.${tool}`, ...Object.entries(args).map(([name, value]) => `${name}=${value}`))
  }
})

const namesIn = ({ code, stderr, stdout }: Finished): ReadonlyArray<string> => {
  assert.strictEqual(code, 0, stderr)
  return (JSON.parse(stdout) as Loose).tools.map(({ name }: Loose) => name)
}

describe("serve --http: clients of others that log in", () => {
  for (const [name, make] of Object.entries({ "the inspector": inspector, mcporter })) {
    it.live(
      `${name} finds the login, lists, calls, and gets neither a tool nor a door that a rule keeps from it`,
      () =>
        Effect.gen(function* () {
          const { comes, start, url } = yield* gateway
          const { logged } = yield* start(["mcp"])
          const ada = yield* make(url)
          yield* ada.login ?? Effect.void
          const tools = namesIn(yield* ada.list)
          assert.include(tools, ECHO)
          assert.notInclude(tools, DENIED)
          const called = yield* ada.call(ECHO, { message: "hello" })
          assert.include(called.stdout, "Echo: hello", called.stderr)
          const refused = yield* ada.call(DENIED, {})
          assert.notStrictEqual(refused.code, 0)
          comes("eve")
          const other = yield* make(url)
          yield* other.login ?? other.list
          yield* logged(/eve@example.com .*was not let in: no rule of clients.rules matches/)
        }).pipe(Effect.scoped),
      PATIENT_MS
    )

    it.live(
      `${name} gets more scopes when the gateway needs more`,
      () =>
        Effect.gen(function* () {
          const { start, url } = yield* gateway
          const before = yield* start(["mcp"])
          const ada = yield* make(url)
          yield* ada.login ?? Effect.void
          namesIn(yield* ada.list)
          yield* Effect.promise(() => before.stop())
          yield* start(["mcp", "admin"])
          assert.notStrictEqual((yield* ada.list).code, 0)
          yield* ada.again
          assert.include(namesIn(yield* ada.list), ECHO)
        }).pipe(Effect.scoped),
      PATIENT_MS
    )
  }

  it.live.skipIf(missing !== undefined)(
    "the inspector's page finds the login, lists, calls, and shows why a rule refuses a call",
    () =>
      Effect.gen(function* () {
        const { comes, start, url } = yield* gateway
        const { deny, logged } = yield* start(["mcp"])
        const ada = yield* inspectorPage
        yield* Effect.promise(async () => {
          await ada.connect(url)
          await ada.openTools()
          assert.isTrue(await ada.hasTool(ECHO))
          assert.isFalse(await ada.hasTool(DENIED))
          await ada.fill(ECHO, "message", "hello")
          await ada.execute()
          await ada.shows("Echo: hello")
          await ada.closeResults()
          deny("all/echo")
          await ada.toldOfChange()
          await ada.execute()
          await ada.shows(`'${ECHO}' is not allowed here (clients.rules`)
          await ada.refresh()
          await ada.gone(ECHO)
        })
        comes("eve")
        const eve = yield* inspectorPage
        yield* Effect.promise(() => eve.connect(url))
        yield* logged(/eve@example.com .*was not let in: no rule of clients.rules matches/)
      }).pipe(Effect.scoped),
    PAGE_PATIENT_MS
  )
})
