/** Server processes whose node ends without handing them over. */
import { assert, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as Fiber from "effect/Fiber"
import { readFileSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { inFolder } from "../../support/folder.ts"
import { knows, type NodeProcess, startNode } from "../../support/fleetNodes.ts"
import { pause, pauses } from "../../support/pause.ts"
import { describePostgres, newDatabase } from "../../support/postgres.ts"

const call = (node: NodeProcess, server: string, tool: string, args: object = {}) =>
  node.ask<{ readonly pid: number }>("call", JSON.stringify({ server, tool, args, id: tool }))

describePostgres("a server whose node ends", () => {
  it.live("runs elsewhere for the next call; one that was under way may have been executed, and is answered", () =>
    Effect.gen(function* () {
      const { url: database } = yield* newDatabase()
      const file = join(yield* inFolder, "calls")
      writeFileSync(file, "")
      const server = `counter ${file}`
      const [one, two] = [yield* startNode({ name: "one", database }), yield* startNode({ name: "two", database })]
      for (const node of [one, two]) yield* knows(node, ["one", "two"])
      // Of equals, the one who asks.
      const { pid } = yield* call(one, server, "count")
      assert.strictEqual((yield* call(two, server, "count")).pid, pid)
      const underWay = yield* Effect.forkChild(Effect.flip(call(two, server, "slow", { name: "once" })), {
        startImmediately: true
      })
      yield* Effect.promise(async (signal) => {
        while (!signal.aborted && !readFileSync(file, "utf8").includes("began once")) await pause()
      })
      yield* one.end
      assert.match(yield* Fiber.join(underWay), /^ConnectionLost: .*may have been executed/)
      const next = yield* Effect.retry(call(two, server, "count"), {
        while: (words) => /not sent|not available|was not executed/.test(words),
        schedule: pauses
      })
      assert.notStrictEqual(next.pid, pid)
      assert.lengthOf(readFileSync(file, "utf8").match(/began once/g) ?? [], 1)
    })
  )
})
