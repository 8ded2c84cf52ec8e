/**
 * `serve`, `mcp-server` and `acp` on stdin and stdout. The hostile client and the honest one share the pipe: what one of them
 * writes is whole lines, and the other's lines go between them.
 */
import { assert } from "@effect/vitest"
import * as Effect from "effect/Effect"
import { createInterface } from "node:readline"
import type { Writable } from "node:stream"
import { replyOf } from "../../fixtures/hostile-client/http.ts"
import type { Door, PipeStage, Reply, Scenario } from "../../fixtures/hostile-client/scenario.ts"
import { just, piecesOf, within, type Text, type Texts } from "../../fixtures/hostile-client/text.ts"
import { calling, ORDERS, SERVERS } from "./overHttp.ts"
import type { Site } from "./play.ts"
import { started, type Program } from "./program.ts"

type PipeDoor = Exclude<Door, "orders-http" | "serve-http">

interface Frame {
  readonly id?: unknown
  readonly method?: unknown
  readonly result?: { readonly [key: string]: unknown }
}

interface Line extends Frame {
  readonly text: string
}

/** What goes into the program, and what has come out of it since it was last forgotten. */
const wireOf = ({ child, exited }: Program) => {
  const input = child.stdin as Writable
  const looks = new Set<() => void>()
  let lines: Array<Line> = []
  let isOver = false
  const look = () => looks.forEach((one) => one())
  createInterface({ input: child.stdout! }).on("line", (text) => {
    lines.push({ ...(JSON.parse(text) as Frame), text })
    look()
  })
  child.once("exit", () => {
    isOver = true
    look()
  })
  const first = (is: (line: Line) => boolean) =>
    new Promise<Line | undefined>((resolve) => {
      const see = () => {
        const found = lines.find(is)
        if (found === undefined && !isOver) return
        looks.delete(see)
        resolve(found)
      }
      looks.add(see)
      see()
    })
  let turn: Promise<void> = Promise.resolve()
  /** Whole lines. */
  const write = (text: Texts): Promise<void> => (turn = turn.then(() => pour(text)))
  const pour = async (text: Texts) => {
    for (const piece of piecesOf(text)) {
      if (isOver) return
      if (!input.write(piece)) await Promise.race([new Promise((resolve) => input.once("drain", resolve)), exited])
    }
  }
  return {
    write,
    forget: () => (lines = []),
    lines: () => lines,
    /** The answer to the first of these that has one. */
    answer: (...ids: ReadonlyArray<unknown>) => first((line) => line.method === undefined && ids.includes(line.id)),
    ask: async (id: string, method: string, params: object): Promise<Line | undefined> => {
      await write(just(`${JSON.stringify({ jsonrpc: "2.0", id, method, params })}\n`))
      return first((line) => line.method === undefined && line.id === id)
    }
  }
}

type Wire = ReturnType<typeof wireOf>

interface Talk {
  /** Before anything else. */
  readonly greet: (wire: Wire) => Promise<{ readonly hostile: string; readonly honest: string }>
  readonly request: (id: string | number, text: Text, session: string) => Text
  readonly honest: (wire: Wire, id: string, session: string) => Promise<void>
}

const initialize = async (wire: Wire) => {
  const greeting = { protocolVersion: "2025-11-25", capabilities: {}, clientInfo: { name: "raw", version: "0" } }
  await wire.ask("greeting", "initialize", greeting)
  await wire.write(just('{"jsonrpc":"2.0","method":"notifications/initialized"}\n'))
  return { hostile: "", honest: "" }
}

const calls = async (wire: Wire, id: string, name: string, args: object, words: string) => {
  const answer = await wire.ask(id, "tools/call", { name, arguments: args })
  assert.include(answer?.text ?? "no answer", words)
}

const prompting = (id: string | number, text: Text, sessionId: string): Text =>
  within(
    `{"jsonrpc":"2.0","id":${JSON.stringify(id)},"method":"session/prompt","params":{"sessionId":"${sessionId}","prompt":[{"type":"text","text":"`,
    text,
    `"}]}}`
  )

const THEIRS = { name: "mcp_theirs_echo", argument: "text" } as const
const ORDER = { name: "order_openclaw", argument: "message" } as const

const TALK: Readonly<Record<PipeDoor, Talk>> = {
  "serve-stdio": {
    greet: initialize,
    request: (id, text) => calling(id, THEIRS, text),
    honest: (wire, id) => calls(wire, id, "mcp_honest_echo", { text: `words of ${id}` }, `words of ${id}`)
  },
  "orders-stdio": {
    greet: initialize,
    request: (id, text) => calling(id, ORDER, text),
    honest: (wire, id) => calls(wire, id, "order_openclaw", { message: "/help" }, "/tools")
  },
  acp: {
    greet: async (wire) => {
      await wire.ask("greeting", "initialize", { protocolVersion: 1 })
      const opened = async (id: string) => {
        const { args, command } = SERVERS.honest
        const mcpServers = [{ name: "own", command, args, env: [] }]
        const answer = await wire.ask(id, "session/new", { cwd: "/", mcpServers })
        return String(answer?.result?.["sessionId"])
      }
      return { hostile: await opened("session one"), honest: await opened("session two") }
    },
    request: prompting,
    honest: async (wire, id, session) => {
      const prompt = [{ type: "text", text: `/call mcp__own__echo {"text":"words of ${id}"}` }]
      const asked = (again: string) => wire.ask(`${id}${again}`, "session/prompt", { sessionId: session, prompt })
      let answer = await asked("")
      // Both share one connection, which has a bounded number of requests: an honest client does what it is told.
      for (let times = 1; answer?.text.includes("Busy:") === true; times++) answer = await asked(` again ${times}`)
      assert.strictEqual(answer?.result?.["stopReason"], "end_turn", answer?.text)
      assert.isTrue(
        wire.lines().some(({ method, text }) => method === "session/update" && text.includes(`words of ${id}`))
      )
    }
  }
}

const NEWLINE = just("\n")
/** What a message has that is answered, or that cannot be read. */
const HOSTILE_IDS = ["hostile", null]

const siteOf = async (door: PipeDoor, program: Program): Promise<Site> => {
  const wire = wireOf(program)
  const { greet, honest: ask, request } = TALK[door]
  const sessions = await greet(wire)
  let count = 0
  const honest = () => ask(wire, `honest ${count++}`, sessions.honest)
  const replyTo = async (...ids: ReadonlyArray<unknown>): Promise<Reply> => {
    const line = await wire.answer(...ids)
    return line === undefined
      ? { isError: false, text: "", bytes: 0, taken: 0 }
      : replyOf(line.text, { bytes: line.text.length, taken: 0 })
  }
  const say = async (text: Texts) => {
    await wire.write(Array.isArray(text) ? [...text, NEWLINE] : [text as Text, NEWLINE])
    return [await replyTo(...HOSTILE_IDS)]
  }
  const hostile = async (play: Scenario["play"]): Promise<ReadonlyArray<Reply>> => {
    wire.forget()
    if ("message" in play) return say(play.message)
    if ("argument" in play) return say(request("hostile", play.argument, sessions.hostile))
    if (!("pipe" in play)) throw new Error("a play for HTTP")
    const stage: PipeStage = {
      door,
      session: sessions.hostile,
      request: (id, text) => request(id, text, sessions.hostile),
      write: wire.write,
      reply: replyTo
    }
    return play.pipe(stage)
  }
  await honest()
  await hostile({ argument: { head: "", unit: "warm ", times: 1_000, tail: "" } })
  program.peakMb()
  const idle = { mb: program.peakMb(), sockets: program.sockets(), children: program.children().length }
  return { door, program, idle, honest, hostile }
}

const opened = (door: PipeDoor, args: ReadonlyArray<string>, config: unknown) =>
  Effect.flatMap(started(args, config), (program) => Effect.promise(() => siteOf(door, program)))

export const serveOverPipes = opened("serve-stdio", ["serve"], { mcp: { servers: SERVERS } })
export const ordersOverPipes = opened("orders-stdio", ["mcp-server"], ORDERS)
export const acpOverPipes = opened("acp", ["acp"], { mcp: { servers: {} } })
