/** Nodes of a fleet as processes of their own, to be killed, frozen and thawed. */
import * as Effect from "effect/Effect"
import type * as Scope from "effect/Scope"
import { spawn } from "node:child_process"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { createInterface } from "node:readline"
import { inFixtures } from "../fixtures/servers.ts"
import type { FleetNode, NodeId } from "../../src/schemas/fleet/Node.ts"
import type { Contract } from "../../src/schemas/fleet/PeerHello.ts"
import { PEERS_SECRET } from "./fleetDatabase.ts"

const PROGRAM = inFixtures("fleetNode.ts")

/** It runs from its sources; compiled once, they load in half the time. */
const COMPILED = { NODE_COMPILE_CACHE: join(tmpdir(), "node-compile-cache") }

export interface NodeEvent {
  readonly event?: string
  readonly node?: NodeId
  readonly self?: NodeId
  readonly message?: string
  readonly isCurrent?: boolean
}

export interface NodeProcess {
  readonly name: string
  /** Waits for an event that has come or will come. */
  readonly event: (holds: (event: NodeEvent) => boolean) => Effect.Effect<NodeEvent>
  readonly events: () => ReadonlyArray<NodeEvent>
  /** Fails with the words of the node. */
  readonly ask: <A = unknown>(command: string, argument?: string) => Effect.Effect<A, string>
  readonly signal: (signal: NodeJS.Signals) => Effect.Effect<void>
  /** Ends its stdin, and waits until it is gone. */
  readonly end: Effect.Effect<void>
  readonly exited: Effect.Effect<void>
}

interface Given {
  readonly name: string
  readonly database: string
  readonly secret?: string
  readonly listen?: string
  /** The tool that may run again elsewhere. */
  readonly idempotent?: string
  /** How many servers may live there. */
  readonly serversMax?: string
  /** Of another version of the program: its contract between nodes, and what it changes in the tables. */
  readonly other?: {
    readonly version: string
    readonly contract: Contract
    readonly migration?: { readonly name: string; readonly statements: ReadonlyArray<string> }
  }
}

/** Started, but maybe not up yet. */
export const spawnNode = (given: Given): Effect.Effect<NodeProcess, never, Scope.Scope> =>
  Effect.acquireRelease(
    Effect.sync(() => {
      const options = JSON.stringify({ secret: PEERS_SECRET, ...given })
      const child = spawn(process.execPath, ["--no-warnings", PROGRAM, options], {
        env: { ...process.env, ...COMPILED },
        stdio: ["pipe", "pipe", "inherit"]
      })
      const exited = new Promise<void>((resolve) => void child.once("exit", () => resolve()))
      child.stdin.on("error", () => {})
      return { child, exited }
    }),
    ({ child, exited }) =>
      Effect.promise(() => {
        child.kill("SIGKILL")
        return exited
      })
  ).pipe(
    Effect.map(({ child, exited }) => {
      const events: Array<NodeEvent> = []
      const waiting = new Set<() => void>()
      const answers = new Map<string, (answer: { readonly value?: unknown; readonly error?: string }) => void>()
      let count = 0
      createInterface({ input: child.stdout }).on("line", (line) => {
        if (!line.startsWith("{")) return void process.stderr.write(`${given.name}: ${line}\n`)
        const said = JSON.parse(line) as NodeEvent & { readonly id?: string }
        if (said.event === undefined) answers.get(said.id ?? "")?.(said as never)
        else {
          events.push(said)
          for (const look of waiting) look()
        }
      })
      return {
        name: given.name,
        events: () => events,
        event: (holds) =>
          Effect.callback((resume) => {
            const look = () => {
              const found = events.find(holds)
              if (found === undefined) return
              waiting.delete(look)
              resume(Effect.succeed(found))
            }
            waiting.add(look)
            look()
            return Effect.sync(() => void waiting.delete(look))
          }),
        ask: <A>(command: string, argument?: string) =>
          Effect.callback<A, string>((resume) => {
            const id = String(count++)
            answers.set(id, ({ error, value }) => {
              answers.delete(id)
              resume(error === undefined ? Effect.succeed(value as A) : Effect.fail(error))
            })
            child.stdin.write(`${JSON.stringify({ id, command, argument })}\n`)
          }),
        signal: (signal) => Effect.sync(() => void child.kill(signal)),
        end: Effect.promise(() => {
          child.stdin.end()
          return exited
        }),
        exited: Effect.promise(() => exited)
      } satisfies NodeProcess
    })
  )

export const startNode = (given: Given): Effect.Effect<NodeProcess, never, Scope.Scope> =>
  Effect.tap(spawnNode(given), (node) =>
    Effect.map(
      node.event(({ event }) => event === "up" || event === "refused"),
      ({ message }) => {
        if (message !== undefined) throw new Error(message)
      }
    )
  )

/** Asks again until what the node says fits. */
export const until = <A>(node: NodeProcess, command: string, holds: (value: A) => boolean): Effect.Effect<A, string> =>
  node
    .ask<A>(command)
    .pipe(
      Effect.flatMap((value) =>
        holds(value) ? Effect.succeed(value) : Effect.andThen(Effect.sleep(50), until(node, command, holds))
      )
    )

/** Waits until a node knows exactly these as alive. */
export const knows = (node: NodeProcess, names: ReadonlyArray<string>) =>
  until<ReadonlyArray<FleetNode>>(
    node,
    "nodes",
    (nodes) =>
      nodes
        .filter(({ state }) => state !== "dead")
        .map(({ name }) => name)
        .toSorted()
        .join() === names.toSorted().join()
  )
