/** Nodes of a fleet as an operator runs them: one configuration, and what is of each node in its environment. */
import * as Effect from "effect/Effect"
import { mkdirSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { PEERS_SECRET } from "../support/fleetDatabase.ts"
import { inFolder } from "../support/folder.ts"
import { freePort } from "../support/freePort.ts"
import { run, start, type Running } from "./program.ts"

export const TOKEN = "the-token-of-the-only-client"

export interface Scene {
  readonly config: string
  /** The data directory of commands, and of nobody else. */
  readonly home: string
  readonly env: Record<string, string>
}

export const sceneOf = Effect.fnUntraced(function* (
  database: string,
  servers: object,
  more: object = {},
  ofFleet: object = {}
) {
  const folder = yield* inFolder
  const [config, home] = [join(folder, "openclaw.json"), join(folder, "home")]
  mkdirSync(home)
  const fleet = {
    database: "secret://env/DATABASE_URL",
    peers: { secret: PEERS_SECRET },
    name: "${FLEET_NAME}",
    listen: "${FLEET_LISTEN}",
    ...ofFleet
  }
  const serve = { clients: [{ name: "ada", token: TOKEN }] }
  writeFileSync(config, JSON.stringify({ ...more, mcp: { fleet, serve, servers } }))
  const env = { MCP_LIVE_HOME: home, DATABASE_URL: database, DISPLAY: "", WAYLAND_DISPLAY: "" }
  return { config, home, env } satisfies Scene
})

export interface Node extends Running {
  readonly name: string
  readonly url: string
  /** A command on the machine of this node. */
  readonly command: (...args: ReadonlyArray<string>) => ReturnType<typeof run>
}

/** A node on a machine of its own, which serves. */
export const nodeOf = Effect.fnUntraced(function* ({ config, env }: Scene, name: string, ...flags: Array<string>) {
  const [port, peers, home] = [yield* freePort, yield* freePort, yield* inFolder]
  const own = { ...env, MCP_LIVE_HOME: home, FLEET_NAME: name, FLEET_LISTEN: `127.0.0.1:${peers}` }
  const node = yield* start(["serve", "--http", String(port), "--config", config, ...flags], { env: own })
  yield* node.until(/serving MCP at/)
  return {
    ...node,
    name,
    url: `http://127.0.0.1:${port}/mcp`,
    command: (...args) => run([...args, "--config", config], { env: own })
  } satisfies Node
})

/** A command on a machine that is no node. */
export const elsewhere = ({ config, env }: Scene, ...args: ReadonlyArray<string>) =>
  run([...args, "--config", config], { env })
