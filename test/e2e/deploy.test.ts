/** The files of `deploy/` as an operator uses them: three nodes with the same configuration, and the load balancer before them. */
import { assert, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import { spawn, spawnSync } from "node:child_process"
import { once } from "node:events"
import { copyFileSync, readFileSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { fileURLToPath } from "node:url"
import { PEERS_SECRET } from "../support/fleetDatabase.ts"
import { inFolder } from "../support/folder.ts"
import { freePort } from "../support/freePort.ts"
import { connected, ERAS, listed } from "../support/mcpClients.ts"
import { pause } from "../support/pause.ts"
import { describePostgres, newDatabase } from "../support/postgres.ts"
import { start, type Running } from "./program.ts"

const DEPLOY = fileURLToPath(new URL("../../deploy/", import.meta.url))
const COUNTER = fileURLToPath(new URL("../fixtures/counter.mjs", import.meta.url))
const TOKEN = "the-token-of-the-first-client"

const isInstalled = (program: string, ...args: ReadonlyArray<string>): boolean =>
  spawnSync(program, args, { stdio: "ignore" }).error === undefined

const [HAPROXY, SYSTEMD] = [isInstalled("haproxy", "-v"), isInstalled("systemd-analyze", "--version")]
if (!HAPROXY) process.stderr.write("skipped: the load balancer of deploy/: there is no haproxy on this machine\n")
if (!SYSTEMD)
  process.stderr.write("skipped: systemd's own look at its unit: there is no systemd-analyze on this machine\n")

interface Node extends Running {
  readonly name: string
  readonly port: number
}

/** As each way to deploy starts one: the file is the same, and what differs is in the environment. The server is one of the tests. */
const nodeAt = Effect.fnUntraced(function* (database: string, name: string, config: string) {
  const [port, peers] = [yield* freePort, yield* freePort]
  const running = yield* start(["serve", "--http", String(port), "--config", config], {
    env: {
      MCP_LIVE_HOME: join(yield* inFolder, "home"),
      FLEET_NAME: name,
      FLEET_LISTEN: `127.0.0.1:${peers}`,
      FLEET_ADVERTISE: `127.0.0.1:${peers}`,
      SERVE_HOST: "127.0.0.1",
      DATABASE_URL: database,
      FLEET_SECRET: PEERS_SECRET,
      CLIENT_TOKEN: TOKEN
    }
  })
  return { ...running, name, port } satisfies Node
})

/** The file of deploy/ with a server that needs nothing from elsewhere. */
const configuration = Effect.gen(function* () {
  const folder = yield* inFolder
  const [config, counts] = [join(folder, "openclaw.json"), join(folder, "counts")]
  const text = readFileSync(join(DEPLOY, "openclaw.json"), "utf8")
  const server = JSON.stringify({ command: process.execPath, args: [COUNTER, counts], limits: { perMinute: 0 } })
  writeFileSync(config, text.replace(/"memory": \{[^}]*\}/, `"counter": ${server}`))
  writeFileSync(counts, "")
  return config
})

const balancerAt = Effect.fnUntraced(function* (nodes: ReadonlyArray<Node>) {
  const port = yield* freePort
  const file = join(yield* inFolder, "haproxy.cfg")
  copyFileSync(join(DEPLOY, "haproxy.cfg"), file)
  const places = nodes.map(({ port }, index) => [`NODE_${index + 1}`, `127.0.0.1:${port}`])
  yield* Effect.acquireRelease(
    Effect.sync(() =>
      spawn("haproxy", ["-f", file], {
        stdio: "ignore",
        env: { ...process.env, ...Object.fromEntries(places), BIND: `127.0.0.1:${port}`, SERVE_NAME: "localhost" }
      })
    ),
    (child) =>
      Effect.promise(async () => {
        if (child.exitCode !== null) return
        const ended = once(child, "exit")
        child.kill("SIGKILL")
        await ended
      })
  )
  // The name of `serve.hosts`, which the balancer passes on.
  return `http://localhost:${port}`
})

const answers = (url: string, status: number) =>
  Effect.promise(async (signal) => {
    for (;;) {
      const found = await fetch(url).catch(() => undefined)
      await found?.arrayBuffer()
      if (signal.aborted || found?.status === status) return
      await pause()
    }
  })

describePostgres("deploy/", () => {
  it.live.skipIf(!HAPROXY)(
    "makes one gateway of three nodes, of which one after the other is restarted unnoticed",
    () =>
      Effect.gen(function* () {
        const { url: database } = yield* newDatabase()
        const config = yield* configuration
        const names = ["gateway-1", "gateway-2", "gateway-3"]
        const nodes = yield* Effect.forEach(names, (name) => nodeAt(database, name, config), {
          concurrency: "unbounded"
        })
        for (const node of nodes) yield* node.until(/serving MCP at/)
        const balancer = yield* balancerAt(nodes)
        yield* answers(`${balancer}/health/ready`, 200)
        const clients = yield* Effect.forEach(ERAS, (era) => connected(era, { url: `${balancer}/mcp`, token: TOKEN }))
        for (const client of clients) yield* listed(client, "tools/list", "mcp_counter_count")
        const calls = () => Effect.promise(() => Promise.all(clients.map((client) => client.call("mcp_counter_count"))))
        for (const node of nodes.slice(0, 2)) {
          for (const text of yield* calls()) assert.match(text, /"count"/)
          node.signal("SIGTERM")
          const calling = Effect.forever(
            Effect.map(calls(), (texts) => {
              for (const text of texts) assert.match(text, /"count"/)
            })
          )
          // One call after the other, until the node has ended: each is answered.
          const { code } = yield* Effect.raceFirst(node.exited, calling)
          assert.strictEqual(code, 0)
        }
        for (const text of yield* calls()) assert.match(text, /"count"/)
      })
  )
})

describe("the unit of deploy/", () => {
  it.skipIf(!SYSTEMD)("is accepted by systemd itself", () => {
    const file = join(DEPLOY, "systemd/mcp-live.service")
    const { status, stderr } = spawnSync("systemd-analyze", ["verify", "--man=no", "--recursive-errors=no", file], {
      encoding: "utf8"
    })
    assert.strictEqual(status, 0, stderr)
    assert.notMatch(stderr, /Unknown (?:key|section)/)
  })
})
