/** Each command of docs/order.md, run. */
import { assert, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import { spawn } from "node:child_process"
import { readFileSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { GATEWAY_MEDIA_MAX } from "../../../src/schemas/defaults/Gateway.ts"
import {
  ATTACHED_TEXT_MAX_CHARS,
  ORDER_ANSWER_MAX_BYTES,
  ORDER_ANSWER_PARTS_MAX,
  ORDER_BEGINNING_MAX_CHARS,
  ORDER_PIECE_MAX_BYTES,
  ORDER_PIECE_MAX_CHARS,
  ORDER_PIECES_KEPT_MAX_BYTES,
  ORDER_RESULT_MAX_BYTES,
  ORDER_HISTORY_TEXT_MAX_CHARS,
  ORDER_HISTORY_TURNS,
  ORDER_HISTORY_TURNS_MAX,
  ORDER_HTTP_CLIENTS_MAX,
  ORDER_ITEM_MAX_BYTES,
  ORDER_MESSAGE_MAX_CHARS,
  ORDERS_HELD_MAX_BYTES,
  ORDER_RECEIVING_MAX_BYTES,
  ORDER_REQUEST_MAX_BYTES,
  ORDER_TEXT_MAX_BYTES,
  ORDERS_PER_MINUTE,
  ORDERS_RUNNING_IN_ALL_MAX,
  ORDERS_RUNNING_MAX,
  ORDERS_WAITING_IN_ALL_MAX,
  ORDERS_WAITING_MAX
} from "../../../src/schemas/defaults/Orders.ts"
import { connected } from "../../support/mcpClients.ts"
import { MAIN } from "../../support/built.ts"
import { runAt } from "../../support/cli.ts"
import { folder } from "./program.ts"

const PAGE = readFileSync(new URL("../../../docs/order.md", import.meta.url), "utf8")

const MEBIBYTE = 1024 * 1024
const count = (number: number) => number.toLocaleString("en-US")

const blocks = PAGE.split("\n").filter((line) => line.startsWith("    "))
const commands = blocks.map((line) => line.trim().replace(/\s+#.*$/, "")).filter((line) => line.startsWith("mcp-live "))

const json = (/^ {4}\{\n(?: {4}.*\n)+? {4}\}$/m.exec(PAGE)?.[0] ?? "").replace(/^ {4}/gm, "")
const clientsFile = /^ {4}# name .*\n(?: {4}\S.*\n?)+/m.exec(PAGE)?.[0].replace(/^ {4}/gm, "") ?? ""

/** A home with everything that a command names. */
const home = Effect.gen(function* () {
  const place = yield* folder
  writeFileSync(join(place, "openclaw.json"), '{ "mcp": { "servers": {} } }')
  writeFileSync(join(place, ".openclaw-token"), "a-token", { mode: 0o600 })
  writeFileSync(join(place, "clients"), clientsFile, { mode: 0o600 })
  return place
})

const environment = (place: string) => ({
  PATH: process.env["PATH"] ?? "",
  HOME: place,
  USERPROFILE: place,
  NO_COLOR: "1"
})

/** Ports that are free, in place of those that somebody may have. */
const argumentsOf = (command: string, place: string) =>
  command
    .split(/\s+/)
    .slice(1)
    .map((word) => word.replace(/^~/, place))
    .filter((word) => !/^\d+$/.test(word) && word !== "--port")
    .flatMap((word) => (word === "--http" ? ["--http", "--port", "0"] : [word]))

const run = (command: string, place: string) =>
  Effect.acquireRelease(
    Effect.sync(() =>
      spawn(process.execPath, [MAIN, ...argumentsOf(command, place)], {
        cwd: place,
        env: environment(place),
        stdio: ["ignore", "pipe", "pipe"]
      })
    ),
    (child) => Effect.sync(() => void child.kill("SIGKILL"))
  )

describe("the numbers of docs/order.md", () => {
  it.each([
    `at most ${count(ORDER_MESSAGE_MAX_CHARS)} characters`,
    `the first ${count(ATTACHED_TEXT_MAX_CHARS)} characters`,
    `An answer has ${count(ORDER_ANSWER_PARTS_MAX)} parts`,
    `up to ${GATEWAY_MEDIA_MAX} files`,
    `${ORDER_HISTORY_TURNS} turns, or up to ${ORDER_HISTORY_TURNS_MAX}, and ${count(ORDER_HISTORY_TEXT_MAX_CHARS)} characters`,
    `One client may have ${ORDERS_RUNNING_MAX} agent requests running, ${ORDERS_WAITING_MAX} waiting, and ${ORDERS_PER_MINUTE} in a minute`,
    `all clients together ${ORDERS_RUNNING_IN_ALL_MAX} and ${ORDERS_WAITING_IN_ALL_MAX}`,
    `hold ${ORDERS_HELD_MAX_BYTES / MEBIBYTE} MB`,
    `another limit of ${ORDER_RECEIVING_MAX_BYTES / MEBIBYTE} MB, for one client and for all together`,
    `may have ${ORDER_TEXT_MAX_BYTES / MEBIBYTE} MB, and with them ${ORDER_REQUEST_MAX_BYTES / MEBIBYTE} MB`,
    `${ORDER_HTTP_CLIENTS_MAX} at most`,
    `A result has ${ORDER_RESULT_MAX_BYTES / MEBIBYTE} MB at most`,
    `its beginning (${count(ORDER_BEGINNING_MAX_CHARS)} characters)`,
    `pieces of ${count(ORDER_PIECE_MAX_CHARS)} characters, a medium into pieces of ${ORDER_PIECE_MAX_BYTES / MEBIBYTE} MB`,
    `All clients together have ${ORDER_PIECES_KEPT_MAX_BYTES / MEBIBYTE} MB of them`,
    `One item may have ${ORDER_ITEM_MAX_BYTES / MEBIBYTE} MB, the whole answer ${ORDER_ANSWER_MAX_BYTES / MEBIBYTE} MB`
  ])("are those that hold: %s", (words) => assert.include(PAGE.replaceAll("\n", " "), words))
})

describe("the commands of docs/order.md", () => {
  it("are these", () => {
    assert.isAtLeast(commands.length, 17)
    assert.isTrue(commands.every((command) => command.startsWith("mcp-live mcp-server")))
  })

  it.live.each(commands.filter((command) => command.includes("--http")))("%s", (command) =>
    Effect.gen(function* () {
      const child = yield* run(command, yield* home)
      let stderr = ""
      const url = yield* Effect.callback<string>((resume) => {
        child.stderr.on("data", (chunk: Buffer) => {
          stderr += chunk.toString()
          const found = /listening at (http:\S+)/.exec(stderr)?.[1]
          if (found !== undefined) resume(Effect.succeed(found))
        })
        child.once("exit", () => resume(Effect.succeed(`it ended: ${stderr}`)))
      })
      assert.match(url, /^http:\/\/127\.0\.0\.1:\d+\//)
      if (command.includes("--clients")) {
        const client = yield* connected("2025-11-25", { url, token: "3fbd0c1e7a664d1c9d1f" })
        assert.include(JSON.stringify(yield* Effect.promise(() => client.request("tools/list"))), "order_openclaw")
      }
    })
  )

  it.live.each(commands.filter((command) => /--(install|version|help)/.test(command)))("%s", (command) =>
    Effect.gen(function* () {
      const place = yield* home
      // They end at once, in the test's own process as in another one.
      const here = { cwd: place, env: { ...environment(place), MCP_LIVE_HOME: "" } }
      const { code, stdout } = yield* runAt(here, ...argumentsOf(command, place))
      assert.strictEqual(code, 0)
      assert.isNotEmpty(stdout)
    })
  )

  it.live.each(commands.filter((command) => !/--(http|install|version|help)/.test(command)))("%s", (command) =>
    Effect.gen(function* () {
      const place = yield* home
      const client = yield* connected("2025-11-25", {
        command: process.execPath,
        args: [MAIN, ...argumentsOf(command, place)],
        cwd: place,
        env: environment(place)
      })
      assert.include(JSON.stringify(yield* Effect.promise(() => client.request("tools/list"))), "order_openclaw")
    })
  )

  it.live("what the page puts into a client's own file starts it", () =>
    Effect.gen(function* () {
      const place = yield* home
      const { mcpServers } = JSON.parse(json) as { mcpServers: { openclaw: { command: string; args: Array<string> } } }
      const { args, command } = mcpServers.openclaw
      assert.strictEqual(command, "mcp-live")
      const client = yield* connected("2025-11-25", {
        command: process.execPath,
        args: [MAIN, ...args],
        cwd: place,
        env: environment(place)
      })
      assert.include(JSON.stringify(yield* Effect.promise(() => client.request("tools/list"))), "order_openclaw")
    })
  )
})
