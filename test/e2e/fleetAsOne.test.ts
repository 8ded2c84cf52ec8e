/** What commands at one node say of all: three machines, one gateway. */
import { assert, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import { fileURLToPath } from "node:url"
import { freePort } from "../support/freePort.ts"
import { connected, listed } from "../support/mcpClients.ts"
import { pause, pauses } from "../support/pause.ts"
import { describePostgres, newDatabase } from "../support/postgres.ts"
import { type Node, nodeOf, sceneOf, TOKEN } from "./nodes.ts"

const COUNTER = fileURLToPath(new URL("../fixtures/counter.mjs", import.meta.url))

interface NodeSaid {
  readonly name: string
  readonly silent?: string
  readonly servers?: Readonly<
    Record<string, { readonly status: Record<string, unknown>; readonly calls: Record<string, unknown> }>
  >
}

const statusAt = (node: Node) =>
  Effect.map(node.command("status", "--json", "--wait"), ({ stdout }) => {
    const { nodes } = JSON.parse(stdout) as { readonly nodes: ReadonlyArray<NodeSaid> }
    return nodes
  })

/** The state of the server at each node, and where its process is, as that node sees it. */
const placesIn = (nodes: ReadonlyArray<NodeSaid>) =>
  nodes.map(({ name, servers }) => [name, servers?.["counter"]?.status["state"], servers?.["counter"]?.status["node"]])

const until = <E>(isSo: Effect.Effect<boolean, E>): Effect.Effect<void, E> =>
  Effect.flatMap(isSo, (holds) =>
    holds
      ? Effect.void
      : Effect.andThen(
          Effect.promise(pause),
          Effect.suspend(() => until(isSo))
        )
  )

describePostgres("all nodes of a fleet", () => {
  it.live("are one gateway for status, top and logs, with the names of the nodes; one that is silent is named", () =>
    Effect.gen(function* () {
      const { url } = yield* newDatabase()
      const counter = { command: process.execPath, args: [COUNTER] }
      // A remote server has a connection, and so a state, at each node.
      const remote = { url: `http://127.0.0.1:${yield* freePort}/mcp`, timeout: 1 }
      const scene = yield* sceneOf(url, { counter, remote })
      const nodes = yield* Effect.forEach(["one", "two", "three"], (name) => nodeOf(scene, name))
      const [one, two, three] = nodes as [Node, Node, Node]
      const client = yield* connected("2025-11-25", { url: three.url, token: TOKEN })
      yield* listed(client, "tools/list", "mcp_counter_count")
      yield* Effect.promise(() => client.call("mcp_counter_count"))
      yield* until(
        Effect.map(statusAt(one), (said) =>
          placesIn(said).every(([, state, home]) => state === "Ready" && home !== null)
        )
      )
      const places = placesIn(yield* statusAt(two))
      const home = String(places[0]![2])
      assert.deepStrictEqual(
        places.map(([name]) => name),
        ["one", "three", "two"]
      )
      assert.deepStrictEqual(new Set(places.map(([, , node]) => node)), new Set([home]))
      const pids = (yield* statusAt(one)).map(({ name, servers }) => [
        name,
        servers!["counter"]!.status["pid"] !== null
      ])
      assert.deepStrictEqual(
        pids.filter(([, has]) => has),
        [[home, true]]
      )

      const table = (yield* one.command("status")).stdout
      assert.lengthOf(table.match(/^counter @ /gm) ?? [], 1)
      assert.include(table, `counter @ ${home} `)
      for (const name of ["one", "two", "three"]) assert.match(table, new RegExp(`^remote @ ${name} `, "m"))

      const fleet = (yield* three.command("fleet")).stdout
      assert.match(fleet, new RegExp(`^counter +${home} +Ready +\\d+ +0$`, "m"))

      const top = (yield* two.command("top", "--count", "1")).stdout
      // The call came in at one node, and its server may live at another.
      assert.match(top, /^counter @ three +Ready/m)

      // A node writes its lines a moment after they are said.
      const logs = yield* Effect.repeat(one.command("logs", "counter"), {
        schedule: pauses,
        until: ({ stdout }) => stdout.includes("[counter")
      })
      assert.match(logs.stdout, new RegExp(`\\[counter @ ${home}\\]`))
      const line = (yield* one.command("logs", "counter", "--json")).stdout.split("\n")[0]!
      assert.strictEqual((JSON.parse(line) as Record<string, unknown>)["node"], home)

      yield* Effect.acquireRelease(
        Effect.sync(() => three.signal("SIGSTOP")),
        () => Effect.sync(() => three.signal("SIGCONT"))
      )
      const { nodes: left } = JSON.parse((yield* one.command("status", "--json")).stdout) as {
        readonly nodes: ReadonlyArray<NodeSaid & { readonly state: string }>
      }
      const frozen = left.find(({ name }) => name === "three")!
      assert.isTrue(frozen.silent !== undefined || frozen.state === "dead", JSON.stringify(frozen))
      assert.isUndefined(frozen.servers)
    }).pipe(Effect.scoped)
  )
})
