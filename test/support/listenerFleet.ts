/** Nodes of a fleet as processes, and a load balancer before them that gives each request to the next one. */
import * as Effect from "effect/Effect"
import type * as Scope from "effect/Scope"
import { spawn } from "node:child_process"
import { once } from "node:events"
import { createServer, request, type IncomingMessage, type ServerResponse } from "node:http"
import type { AddressInfo } from "node:net"
import { createInterface } from "node:readline"
import { inFixtures } from "../fixtures/servers.ts"
import { makeNotes } from "./listener.ts"
import type { NodeOptions } from "./fleetLayers.ts"
import { newDatabase } from "./postgres.ts"

const PROGRAM = inFixtures("fleet/listener.ts")

export interface TestNode {
  readonly name: string
  readonly url: string
  readonly heard: (line: string, times?: number) => Effect.Effect<void>
  readonly notes: ReadonlyArray<string>
  /** Until it knows that node of its fleet. */
  readonly seen: (name: string) => Effect.Effect<void>
  /** Lets the calls of the tool `hold` end. */
  readonly release: () => void
  readonly signal: (signal: NodeJS.Signals) => void
  /** How it ended. */
  readonly ended: Effect.Effect<number | null>
}

export const startNode = (options: NodeOptions): Effect.Effect<TestNode, never, Scope.Scope> =>
  Effect.gen(function* () {
    const child = yield* Effect.acquireRelease(
      Effect.sync(() => spawn(process.execPath, [PROGRAM, JSON.stringify(options)])),
      (one) =>
        Effect.promise(async () => {
          if (one.exitCode !== null || one.signalCode !== null) return
          const exited = once(one, "exit")
          one.kill("SIGKILL")
          await exited
        })
    )
    const [out, notes] = [makeNotes(), makeNotes()]
    const exited = once(child, "exit")
    child.stdin.on("error", () => {})
    createInterface(child.stdout).on("line", out.note)
    createInterface(child.stderr).on("line", (line) => notes.note(line.replace(/^note: /, "")))
    const started = Effect.promise(() => exited).pipe(
      Effect.flatMap(() => Effect.die(new Error(`node ${options.name} did not start:\n${notes.lines.join("\n")}`)))
    )
    const line = yield* Effect.raceFirst(
      out.first(() => true),
      started
    )
    const { url } = JSON.parse(line) as { readonly url: string }
    return {
      name: options.name,
      url,
      heard: notes.heard,
      notes: notes.lines,
      seen: (name) => notes.heard(`sees ${name}`),
      release: () => void child.stdin.write("release\n"),
      signal: (signal) => void child.kill(signal),
      ended: Effect.promise(async () => ((await exited) as [number | null])[0])
    }
  })

export interface Balancer {
  readonly url: string
  /** To whom requests went. */
  readonly counts: ReadonlyMap<string, number>
  /** The next request goes there, if it is given to anybody. */
  readonly next: (url: string) => void
}

const passTo = (backend: string, incoming: IncomingMessage, response: ServerResponse, failed: () => void) => {
  const target = new URL(incoming.url ?? "/", backend)
  const sent = request(target, {
    method: incoming.method,
    agent: false,
    headers: { ...incoming.headers, host: target.host }
  })
  let isConnected = false
  sent.once("socket", (socket) => socket.once("connect", () => (isConnected = true)))
  sent.on("response", (answer) => {
    response.writeHead(answer.statusCode ?? 502, answer.headers)
    response.flushHeaders()
    answer.pipe(response)
    answer.on("error", () => response.destroy())
  })
  sent.on("error", () => {
    if (!isConnected) failed()
    else response.destroy()
  })
  response.once("close", () => sent.destroy())
  return sent
}

/** Round robin, request by request. A node that refuses the connection is passed over, as health checks would do. */
export const startBalancer = (backends: ReadonlyArray<string>): Effect.Effect<Balancer, never, Scope.Scope> =>
  Effect.gen(function* () {
    const counts = new Map<string, number>()
    let turn = 0
    const server = createServer((incoming, response) => {
      const body: Array<Buffer> = []
      incoming.on("data", (chunk: Buffer) => body.push(chunk))
      incoming.once("end", () => {
        const attempt = (left: number) => {
          if (left === 0) return void response.writeHead(502).end()
          const backend = backends[turn++ % backends.length]!
          counts.set(backend, (counts.get(backend) ?? 0) + 1)
          passTo(backend, incoming, response, () => attempt(left - 1)).end(Buffer.concat(body))
        }
        attempt(backends.length)
      })
    })
    yield* Effect.acquireRelease(
      Effect.promise(async () => {
        server.listen(0, "127.0.0.1")
        await once(server, "listening")
      }),
      () =>
        Effect.promise(async () => {
          server.closeAllConnections()
          await new Promise((resolve) => server.close(resolve))
        })
    )
    const { port } = server.address() as AddressInfo
    return {
      url: `http://127.0.0.1:${port}/mcp`,
      counts,
      next: (url) => {
        turn = backends.indexOf(url)
      }
    }
  })

export interface TestFleet {
  readonly database: string
  readonly nodes: ReadonlyArray<TestNode>
  readonly balancer: Balancer
}

/** Nodes that know each other. */
export const fleetOf = (...names: ReadonlyArray<string>): Effect.Effect<TestFleet, never, Scope.Scope> =>
  Effect.gen(function* () {
    const { url: database } = yield* newDatabase()
    const nodes = yield* Effect.forEach(names, (name) => startNode({ database, name }), { concurrency: "unbounded" })
    for (const node of nodes) for (const name of names) yield* node.seen(name)
    return { database, nodes, balancer: yield* startBalancer(nodes.map(({ url }) => url)) }
  })
