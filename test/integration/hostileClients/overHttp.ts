/** `serve` and `mcp-server` on a port, with a hostile client and an honest one, each with a token of its own. */
import { assert } from "@effect/vitest"
import * as Effect from "effect/Effect"
import { writeFileSync } from "node:fs"
import { join } from "node:path"
import { post } from "../../fixtures/hostile-client/http.ts"
import type { HttpStage, Reply, Scenario } from "../../fixtures/hostile-client/scenario.ts"
import { within, type Text } from "../../fixtures/hostile-client/text.ts"
import { shell } from "../../fixtures/servers.ts"
import { ask, begin, sessionOf, textOf } from "../../support/rawHttp.ts"
import type { Site } from "./play.ts"
import { folder, started, type Program } from "./program.ts"

const BAD = "a-token-of-the-hostile-client"
const GOOD = "a-token-of-the-honest-client"
const MODERN = "2026-07-28"
const UNLIMITED = { limits: { perMinute: 0, failures: 0, inFlight: 1_000 } }

export const SERVERS = { theirs: { ...shell(), ...UNLIMITED }, honest: { ...shell(), ...UNLIMITED } }

const CALLS = {
  "serve-http": { name: "mcp_theirs_echo", argument: "text" },
  "orders-http": { name: "order_openclaw", argument: "message" }
} as const
type HttpDoor = keyof typeof CALLS

/** A request for a tool whose argument of this name is the text. */
export const calling = (id: string | number, { argument, name }: (typeof CALLS)[HttpDoor], text: Text): Text =>
  within(
    `{"jsonrpc":"2.0","id":${JSON.stringify(id)},"method":"tools/call","params":{"name":"${name}","arguments":{"${argument}":"`,
    text,
    `"}}}`
  )

const HONEST: Readonly<Record<HttpDoor, (url: string) => Promise<void>>> = {
  "serve-http": async (url) => {
    const params = { name: "mcp_honest_echo", arguments: { text: "honest words" } }
    const answer = await ask(MODERN, url, GOOD, "tools/call", params)
    assert.include(textOf(answer), "honest words", `${answer.status}: ${answer.text}`)
  },
  "orders-http": async (url) => {
    const params = { name: "order_openclaw", arguments: { message: "/help" } }
    const answer = await ask(MODERN, url, GOOD, "tools/call", params)
    assert.include(textOf(answer), "/tools", `${answer.status}: ${answer.text}`)
  }
}

const playAt =
  (door: HttpDoor, url: string) =>
  async (play: Scenario["play"]): Promise<ReadonlyArray<Reply>> => {
    const [session, foreignSession] = [sessionOf(await begin(url, BAD)), sessionOf(await begin(url, GOOD))]
    const { pathname, port } = new URL(url)
    const request = (id: string | number, argument: Text) => calling(id, CALLS[door], argument)
    const stage: HttpStage = { door, port: Number(port), path: pathname, token: BAD, session, foreignSession, request }
    if ("http" in play) return play.http(stage)
    if ("message" in play) return [await post(stage, play.message)]
    if ("argument" in play) return [await post(stage, request("hostile", play.argument))]
    throw new Error("a play for pipes")
  }

const siteAt = async (door: HttpDoor, program: Program, url: string): Promise<Site> => {
  const hostile = playAt(door, url)
  const honest = () => HONEST[door](url)
  // What is loaded and started at the first call of each is no cost of a hostile one.
  await honest()
  await hostile({ argument: { head: "", unit: "warm ", times: 1_000, tail: "" } })
  program.peakMb()
  const idle = { mb: program.peakMb(), sockets: program.sockets(), children: program.children().length }
  return { door, program, idle, honest, hostile }
}

export const serveOverHttp = Effect.gen(function* () {
  const clients = [
    { name: "bad", token: "secret://env/BAD_TOKEN", agent: "bad" },
    { name: "good", token: "secret://env/GOOD_TOKEN", agent: "good" }
  ]
  const config = {
    agents: { defaults: { mcp: { servers: SERVERS } }, list: [{ id: "bad" }, { id: "good" }] },
    mcp: { serve: { clients } }
  }
  const program = yield* started(["serve", "--http", "0"], config, { BAD_TOKEN: BAD, GOOD_TOKEN: GOOD })
  const [, url = ""] = yield* Effect.promise(() => program.logged(/serving MCP at (\S+)/))
  return yield* Effect.promise(() => siteAt("serve-http", program, url))
})

/** Of a gateway with no servers, and as many orders as anybody likes. */
export const ORDERS = { mcp: { servers: {}, order: { perMinute: 0 } } }

export const ordersOverHttp = Effect.gen(function* () {
  const clients = join(yield* folder, "clients")
  writeFileSync(clients, `bad ${BAD}\ngood ${GOOD}\n`, { mode: 0o600 })
  const program = yield* started(["mcp-server", "--http", "0", "--clients", clients], ORDERS)
  const [, url = ""] = yield* Effect.promise(() => program.logged(/listening at (http\S+)/))
  return yield* Effect.promise(() => siteAt("orders-http", program, url))
})
