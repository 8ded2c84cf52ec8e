/** Connections between nodes, where one of them does not serve. */
import { assert, it } from "@effect/vitest"
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Stream from "effect/Stream"
import { request } from "node:http"
import { MISDIRECTED, NOT_HERE } from "../../../src/schemas/fleet/NotHere.ts"
import { Fleet } from "../../../src/services/fleet/Fleet.ts"
import { Peers } from "../../../src/services/fleet/Peers.ts"
import { nodeLayer } from "../../support/fleetLayers.ts"
import { describePostgres, newDatabase } from "../../support/postgres.ts"

describePostgres("a node whose listener is not there yet, or not any more", () => {
  it.live("says that what is asked for is not there, so that it is looked for elsewhere", () =>
    Effect.gen(function* () {
      const { url: database } = yield* newDatabase()
      const build = (name: string) => Layer.build(Layer.fresh(nodeLayer({ database, name })))
      const [one, other] = [yield* build("one"), yield* build("other")]
      const fleet = Context.get(one, Fleet)
      const known = Effect.sync(() => fleet.node("other"))
      yield* Stream.concat(Stream.make(undefined), fleet.changes).pipe(
        Stream.mapEffect(() => known),
        Stream.takeUntil((node) => node !== undefined),
        Stream.runDrain
      )
      const socket = yield* Context.get(one, Peers).connect(Context.get(other, Fleet).self)
      const { headers, statusCode } = yield* Effect.promise(
        () =>
          new Promise<import("node:http").IncomingMessage>((resolve, reject) =>
            request({ createConnection: () => socket, path: "/mcp", method: "POST" }, resolve)
              .once("error", reject)
              .end()
          )
      )
      socket.destroy()
      assert.strictEqual(statusCode, MISDIRECTED)
      assert.isDefined(headers[NOT_HERE])
    }).pipe(Effect.scoped)
  )
})
