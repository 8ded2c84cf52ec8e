/**
 * Bodies that are made to end or to stall the program, at their real size, with a small heap: it refuses them at the bound that
 * they break, goes on answering an honest client while they come, and takes little memory for them.
 */
import { assert, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import { spawn } from "node:child_process"
import { readFileSync } from "node:fs"
import { connect } from "node:net"
import type { Writable } from "node:stream"
import {
  LISTENER_CALL_MAX_BYTES,
  LISTENER_CALL_MAX_DEPTH,
  LISTENER_CALL_MAX_PARTS
} from "../../../src/schemas/defaults/Listener.ts"
import { inFixtures } from "../../fixtures/servers.ts"
import { bearer, send } from "../../support/rawHttp.ts"
import { rowsInFull } from "../../support/full.ts"
import { makeNotes } from "../../support/listener.ts"
import { call, initialize } from "../../support/listenerProgram.ts"
import { MAIN } from "../../support/built.ts"
import { folder, listening, placeFor } from "../serve/program.ts"

const MIB = 1024 * 1024
const SMALL_HEAP = { NODE_OPTIONS: "--max-old-space-size=512" }
const GROWN_MAX_MIB = 512

const [ME, OTHER] = ["a-token-of-mine-1234567890", "a-token-of-another-1234567890"]

interface Attack {
  readonly name: string
  readonly piece: string
  readonly mib: number
  /** What the refusal says. */
  readonly said: string
}

const PARTS = `${LISTENER_CALL_MAX_PARTS} strings, names, lists and objects`
const BYTES = `${LISTENER_CALL_MAX_BYTES} bytes`

/** One for each bound in `npm test`. */
const EACH: ReadonlyArray<Attack> = [
  { name: "64 MiB of strings", piece: '"a",', mib: 64, said: PARTS },
  { name: "64 MiB of brackets", piece: "[", mib: 64, said: `${LISTENER_CALL_MAX_DEPTH} levels` },
  { name: "a string of 300 MiB", piece: "x", mib: 300, said: BYTES }
]

const ATTACKS = rowsInFull<Attack>(
  [
    { name: "310 MiB of objects", piece: "{},", mib: 310, said: PARTS },
    { name: "100 MiB of objects", piece: "{},", mib: 100, said: PARTS },
    ...EACH
  ],
  EACH
)

/** As fast as it is taken, until it is not any more. Gives how much went. */
const pour = async (into: Writable, { mib, piece }: Attack, framed: (block: Buffer) => Buffer): Promise<number> => {
  const block = framed(Buffer.from(piece.repeat(Math.floor(MIB / 4 / piece.length))))
  let sent = 0
  const over = new Promise<void>((resolve) => into.once("close", resolve))
  while (!into.destroyed && sent < mib * MIB) {
    sent += block.length
    if (!into.write(block)) await Promise.race([over, new Promise<void>((resolve) => into.once("drain", resolve))])
  }
  return sent
}

const mibOf = (pid: number): number =>
  Number(/VmRSS:\s+(\d+)/.exec(readFileSync(`/proc/${pid}/status`, "utf8"))?.[1]) / 1024

const parrot = { command: process.execPath, args: [inFixtures("parrot.ts")], limits: { perMinute: 0 } }

/** A body without an announced length; what is answered, and how much was sent by then. */
const post = async (url: string, attack: Attack) => {
  const { hostname, host, port } = new URL(url)
  const socket = connect(Number(port), hostname)
  let text = ""
  socket.on("error", () => {})
  const answered = new Promise<void>((resolve) => {
    socket.on("data", (chunk: Buffer) => {
      text += chunk.toString()
      if (!text.includes('"}}')) return
      resolve()
      socket.destroy()
    })
    socket.on("close", () => resolve())
  })
  const head = ["POST /mcp HTTP/1.1", `host: ${host}`, `authorization: Bearer ${OTHER}`, "transfer-encoding: chunked"]
  socket.write(`${[...head, "content-type: application/json"].join("\r\n")}\r\n\r\n`)
  socket.write('2\r\n["\r\n'.replace('["', attack.piece === "x" ? '["' : "[ "))
  const sent = pour(socket, attack, (block) =>
    Buffer.concat([Buffer.from(`${block.length.toString(16)}\r\n`), block, Buffer.from("\r\n")])
  )
  await answered
  return { text, sent: await sent }
}

const json = { "content-type": "application/json", accept: "application/json, text/event-stream" }

describe("bodies of an attacker over HTTP", () => {
  it.live(
    "are refused at the bound that they break, while others are answered, and take little memory",
    () =>
      Effect.gen(function* () {
        const place = yield* placeFor({
          serve: {
            clients: [
              { name: "me", token: "secret://env/ME" },
              { name: "other", token: "secret://env/OTHER" }
            ]
          },
          mcpServers: { parrot }
        })
        const { pid, url } = yield* listening(place, [], { ...SMALL_HEAP, ME, OTHER })
        const session = yield* Effect.promise(() =>
          send(url, { headers: { ...json, ...bearer(ME) }, body: JSON.stringify(initialize) })
        )
        const headers = { ...json, ...bearer(ME), "mcp-session-id": String(session.headers["mcp-session-id"]) }
        let id = 0
        const honest = () => send(url, { headers, body: JSON.stringify(call(++id, "mcp_parrot_pid")) })
        assert.strictEqual((yield* Effect.promise(honest)).status, 200)
        const before = mibOf(pid)
        for (const attack of ATTACKS) {
          const at = { isOver: false }
          const attacked = post(url, attack).finally(() => Object.assign(at, { isOver: true }))
          let [answered, most] = [0, 0]
          do {
            const answer = yield* Effect.promise(honest)
            assert.include(answer.text, "result", attack.name)
            answered++
            most = Math.max(most, mibOf(pid))
          } while (!at.isOver)
          const { sent, text } = yield* Effect.promise(() => attacked)
          assert.match(text, attack.said === BYTES ? /^HTTP\/1\.1 413/ : /^HTTP\/1\.1 400/, attack.name)
          assert.include(text.toLowerCase(), "connection: close")
          assert.include(text, attack.said)
          // What it was refused for, and what lay in the buffers of both ends.
          assert.isBelow(sent, 32 * MIB, attack.name)
          assert.isBelow(most - before, GROWN_MAX_MIB, attack.name)
          assert.isAbove(answered, 0)
        }
      }).pipe(Effect.scoped),
    120_000
  )
})

describe("lines of an attacker on stdio", () => {
  it.live(
    "are skipped and answered by their id, and what is asked before and behind them is answered",
    () =>
      Effect.gen(function* () {
        const home = yield* folder
        const child = yield* Effect.acquireRelease(
          Effect.sync(() =>
            spawn(process.execPath, [MAIN, "serve", "--", parrot.command, ...parrot.args], {
              env: { ...process.env, ...SMALL_HEAP, MCP_LIVE_HOME: home },
              stdio: ["pipe", "pipe", "ignore"]
            })
          ),
          (started) => Effect.sync(() => void started.kill("SIGKILL"))
        )
        child.stdin.on("error", () => {})
        const out = makeNotes()
        let rest = ""
        child.stdout.setEncoding("utf8").on("data", (chunk: string) => {
          const lines = (rest + chunk).split("\n")
          rest = lines.pop() ?? ""
          for (const line of lines) out.note(line)
        })
        const answerTo = (id: number) => out.first((line) => JSON.parse(line).id === id)
        const say = (message: object) => child.stdin.write(`${JSON.stringify(message)}\n`)
        say(initialize)
        yield* answerTo(0)
        say(call(1, "pid"))
        yield* answerTo(1)
        const before = mibOf(child.pid!)
        let id = 1
        for (const attack of ATTACKS) {
          const [first, attackId, last] = [++id, ++id, ++id]
          say(call(first, "pid"))
          const quote = attack.piece === "x" ? '"' : ""
          child.stdin.write(`{"jsonrpc":"2.0","id":${attackId},"method":"tools/call","params":[${quote}`)
          const poured = pour(child.stdin, attack, (block) => block)
          // The one before it is answered while the line comes, and the line is refused before it ends.
          yield* answerTo(first)
          const refused = JSON.parse(yield* answerTo(attackId))
          assert.include(refused.error.message, attack.said)
          const most = mibOf(child.pid!)
          yield* Effect.promise(() => poured)
          child.stdin.write("\n")
          say(call(last, "pid"))
          yield* answerTo(last)
          assert.isBelow(Math.max(most, mibOf(child.pid!)) - before, GROWN_MAX_MIB, attack.name)
        }
      }).pipe(Effect.scoped),
    120_000
  )
})
