import { assert, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import { createServer } from "node:http"
import { readFileSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import type { AddressInfo } from "node:net"
import { everything, inFixtures } from "../../fixtures/servers.ts"
import { alive, leftOf } from "../../support/alive.ts"
import { wrappedIn } from "../../support/boundaries.ts"
import { connect, ERAS, listed, type TestClient } from "../../support/mcpClients.ts"
import { pauses } from "../../support/pause.ts"
import { MAIN } from "../../support/built.ts"
import { folder, listening, listeningTo, overHttp, placeFor, real, type Loose } from "./program.ts"
import { rowsInFull } from "../../support/full.ts"

const bodyOf = (text: string): string => wrappedIn(text)[0]!.body

const tokenIn = (stderr: string): string => readFileSync(/the token in (\S+)/.exec(stderr)![1]!, "utf8")

/** The program as a client starts it, with a command line of its own. */
const started = Effect.fnUntraced(function* (
  args: ReadonlyArray<string>,
  {
    cwd,
    env = {},
    era = "2025-11-25"
  }: { cwd?: string; env?: Record<string, string>; era?: (typeof ERAS)[number] } = {}
) {
  const home = join(yield* folder, "home")
  const variables = Object.entries({ MCP_LIVE_HOME: home, ...env }).map((pair) => pair.join("="))
  const words = [...variables, process.execPath, MAIN, "serve", ...args]
  return yield* Effect.acquireRelease(
    Effect.promise(() => connect(era, { command: "/usr/bin/env", args: words, ...(cwd === undefined ? {} : { cwd }) })),
    (client) => Effect.promise(() => client.close())
  )
})

/** The tools, when these are among them. */
const namesOf = (client: TestClient, ...wanted: ReadonlyArray<string>) =>
  Effect.map(listed(client, "tools/list", ...wanted), ({ tools }: Loose): ReadonlyArray<string> =>
    tools.map(({ name }: Loose) => name)
  )

const PARROT = [process.execPath, inFixtures("parrot.ts")]

describe("serve: a server of the command line", () => {
  for (const era of rowsInFull(ERAS, ["2025-11-25"])) {
    it.live(`a client of ${era} has it under its own names, wrapped as ever`, () =>
      Effect.gen(function* () {
        const client = yield* started(["--env", "A=b", "--env", "HERE", "--", ...PARROT], {
          era,
          env: { HERE: "here" }
        })
        yield* namesOf(client, "give", "pid", "env", "note")
        for (const [name, value] of [
          ["A", "b"],
          ["HERE", "here"]
        ]) {
          const said = yield* Effect.promise(() => client.call("env", { name }))
          assert.strictEqual(bodyOf(said), value)
        }
      }).pipe(Effect.scoped)
    )
  }

  it.live("uses no configuration, even one in the current directory", () =>
    Effect.gen(function* () {
      const here = yield* folder
      writeFileSync(join(here, "openclaw.json"), "{ broken")
      const client = yield* started(["--", ...PARROT], { cwd: here })
      yield* namesOf(client, "pid")
    }).pipe(Effect.scoped)
  )

  it.live("with a configuration that is named its rules hold, and its servers are not started", () =>
    Effect.gen(function* () {
      const place = yield* placeFor({
        mcp: { servers: { mem: real("memory") } },
        gateway: { tools: { deny: ["*/env"] } }
      })
      const client = yield* started(["--config", place.file, "--", ...PARROT])
      const names = yield* namesOf(client, "pid")
      assert.notInclude(names, "env")
      assert.notInclude(names, "read_graph")
      assert.notInclude(names, "mcp_mem_read_graph")
    }).pipe(Effect.scoped)
  )

  it.live("serves a port with one process per session, ended with it; words after -- belong to the command", () =>
    Effect.gen(function* () {
      const home = join(yield* folder, "home")
      const program = yield* listeningTo(home, ["--http", "0", "--isolate", "session", "--", ...PARROT, "--http", "1"])
      const token = tokenIn(program.stderr())
      const clients = [
        yield* overHttp("2025-11-25", program.url, token),
        yield* overHttp("2025-11-25", program.url, token)
      ]
      const pids = yield* Effect.forEach(clients, (client) =>
        Effect.map(
          Effect.promise(() => client.call("pid")),
          (said) => Number(bodyOf(said))
        )
      )
      assert.strictEqual(new Set(pids).size, 2)
      assert.deepStrictEqual(pids.filter(alive), pids)
      assert.include(readFileSync(`/proc/${pids[0]}/cmdline`, "utf8"), "--http\u00001")
      assert.strictEqual(yield* Effect.promise(() => program.stop()), 0)
      assert.deepStrictEqual(yield* leftOf(pids), [])
    }).pipe(Effect.scoped)
  )

  it.live("one at an address is there for a client that knows stdio alone", () =>
    Effect.gen(function* () {
      const remote = yield* everything("streamableHttp")
      const client = yield* started(["--url", remote.url])
      yield* namesOf(client, "echo")
      assert.include(yield* Effect.promise(() => client.call("echo", { message: "over there" })), "over there")
    }).pipe(Effect.scoped)
  )

  it.live("sends headers with secrets that appear nowhere else", () =>
    Effect.gen(function* () {
      const seen: Array<string | undefined> = []
      const remote = yield* Effect.acquireRelease(
        Effect.promise(
          () =>
            new Promise<ReturnType<typeof createServer>>((resolve) => {
              const server = createServer((request, response) => {
                seen.push(request.headers.authorization)
                response.writeHead(500).end()
              })
              server.listen(0, "127.0.0.1", () => resolve(server))
            })
        ),
        (server) => Effect.sync(() => server.close())
      )
      const { port } = remote.address() as AddressInfo
      const client = yield* started(
        ["--url", `http://127.0.0.1:${port}/mcp`, "--header", "Authorization: Bearer secret://env/KEY"],
        { env: { KEY: "a-key-that-is-secret" } }
      )
      yield* namesOf(client)
      // A list does not wait for ever for a server.
      yield* Effect.repeat(
        Effect.sync(() => seen.length),
        { schedule: pauses, until: (count) => count > 0 }
      )
      assert.include(seen, "Bearer a-key-that-is-secret")
    }).pipe(Effect.scoped)
  )
})

describe("serve: one server of a configuration", () => {
  it.live("over stdio is served alone, with its own tool names, and no other is started", () =>
    Effect.gen(function* () {
      const mark = join(yield* folder, "was-started")
      const touch = { command: "/usr/bin/touch", args: [mark] }
      const place = yield* placeFor({ mcp: { servers: { mem: real("memory"), other: touch } } })
      const client = yield* started(["--config", place.file, "--server", "mem"])
      const names = yield* namesOf(client, "read_graph")
      assert.isFalse(names.some((name) => name.startsWith("mcp_mem_")))
      assert.throws(() => readFileSync(mark))
    }).pipe(Effect.scoped)
  )

  it.live("over HTTP has an address; servers of other agents have none", () =>
    Effect.gen(function* () {
      const place = yield* placeFor({
        mcp: { servers: { mem: real("memory"), bird: { command: PARROT[0], args: PARROT.slice(1) } } }
      })
      const program = yield* listening(place)
      const token = tokenIn(program.stderr())
      const at = (path: string) => overHttp("2025-11-25", `${program.url}${path}`, token)
      yield* namesOf(yield* at("/mem"), "read_graph")
      yield* namesOf(yield* at("/bird"), "pid")
      yield* namesOf(yield* at(""), "mcp_mem_read_graph", "mcp_bird_pid")
      const params = { protocolVersion: "2025-11-25", capabilities: {}, clientInfo: { name: "x", version: "0" } }
      const answer = yield* Effect.promise(() =>
        fetch(`${program.url}/nobody`, {
          method: "POST",
          headers: {
            authorization: `Bearer ${token}`,
            "content-type": "application/json",
            accept: "application/json, text/event-stream"
          },
          body: JSON.stringify({ jsonrpc: "2.0", id: 1, method: "initialize", params })
        })
      )
      assert.strictEqual(answer.status, 404)
      assert.notInclude(yield* Effect.promise(() => answer.text()), "mem")
    }).pipe(Effect.scoped)
  )
})
