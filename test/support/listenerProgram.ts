/** The fixture's listener as a real process, and lines of JSON in both directions. */
import * as Effect from "effect/Effect"
import type * as Scope from "effect/Scope"
import { spawn, type ChildProcessWithoutNullStreams } from "node:child_process"
import { once } from "node:events"
import { createInterface } from "node:readline"
import { inFixtures } from "../fixtures/servers.ts"
import { makeNotes } from "./listener.ts"
import type { Message } from "./rawHttp.ts"

export const PROGRAM = inFixtures("listener/stdio.ts")

export const META = {
  "io.modelcontextprotocol/protocolVersion": "2026-07-28",
  "io.modelcontextprotocol/clientInfo": { name: "raw", version: "0" },
  "io.modelcontextprotocol/clientCapabilities": {}
}

export const parsed = (line: string) => JSON.parse(line) as Message

export interface Program {
  readonly process: ChildProcessWithoutNullStreams
  readonly write: (...messages: ReadonlyArray<object | string>) => void
  /** Lines of stdout. */
  readonly lines: ReadonlyArray<string>
  /** The first message that is so. */
  readonly message: (is: (message: Message) => boolean) => Effect.Effect<Message>
  readonly heard: (line: string, times?: number) => Effect.Effect<void>
  readonly notes: ReadonlyArray<string>
  /** How it ended. */
  readonly ended: Effect.Effect<number | null>
}

export const started = (...args: ReadonlyArray<string>): Effect.Effect<Program, never, Scope.Scope> =>
  Effect.gen(function* () {
    const child = yield* Effect.acquireRelease(
      Effect.sync(() => spawn(process.execPath, [PROGRAM, ...args])),
      (one) => Effect.sync(() => one.kill("SIGKILL"))
    )
    const [out, notes] = [makeNotes(), makeNotes()]
    const exited = once(child, "close")
    child.stdin.on("error", () => {})
    createInterface(child.stdout).on("line", out.note)
    createInterface(child.stderr).on("line", (line) => notes.note(line.replace(/^note: /, "")))
    return {
      process: child,
      write: (...messages) => {
        for (const message of messages) {
          child.stdin.write(`${typeof message === "string" ? message : JSON.stringify(message)}\n`)
        }
      },
      lines: out.lines,
      message: (is) =>
        Effect.map(
          out.first((line) => is(parsed(line))),
          parsed
        ),
      heard: notes.heard,
      notes: notes.lines,
      ended: Effect.promise(async () => {
        const [code] = (await exited) as [number | null]
        return code
      })
    }
  })

export const initialize = {
  jsonrpc: "2.0",
  id: 0,
  method: "initialize",
  params: { protocolVersion: "2025-11-25", capabilities: {}, clientInfo: { name: "raw", version: "0" } }
}

export const call = (id: number | string, name: string, args: object = {}) => ({
  jsonrpc: "2.0",
  id,
  method: "tools/call",
  params: { name, arguments: args }
})

export const modernCall = (id: number | string, name: string, args: object = {}) => ({
  jsonrpc: "2.0",
  id,
  method: "tools/call",
  params: { name, arguments: args, _meta: META }
})

export const answerTo = (id: unknown) => (message: Message) => message.id === id
