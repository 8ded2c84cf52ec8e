import { assert, describe, it } from "@effect/vitest"
import * as Deferred from "effect/Deferred"
import * as Effect from "effect/Effect"
import type { ServerConnection, ServerEvent } from "../../src/services/connection/ServerConnector.ts"
import { MODERN, serverPath, serving } from "../fixtures/servers.ts"
import { callTool, connectorLayer, httpConfig, open, stdioConfig } from "../support/connector.ts"

const RESOURCE = "demo://resource/dynamic/text/1"

/** Done when the connection has told of this. */
const told = (connection: ServerConnection, wanted: (event: ServerEvent) => boolean) => {
  const done = Deferred.makeUnsafe<ServerEvent>()
  connection.onEvent((event) => {
    if (wanted(event)) Deferred.doneUnsafe(done, Effect.succeed(event))
  })
  return Deferred.await(done)
}

describe("subscriptions: real servers", () => {
  it.live("a server of 2025-11-25 announces changes of subscribed resources", () =>
    Effect.gen(function* () {
      const connection = yield* open(stdioConfig(process.execPath, [serverPath("everything"), "stdio"]))
      assert.deepInclude(connection.catalogue.offers, { subscriptions: true, prompts: true, completions: true })
      const updated = told(connection, ({ _tag }) => _tag === "ResourceUpdated")
      yield* connection.watchResources([RESOURCE])
      yield* callTool(connection, "toggle-subscriber-updates")
      assert.deepStrictEqual(yield* updated, { _tag: "ResourceUpdated", uri: RESOURCE })
      yield* connection.watchResources([])
    }).pipe(Effect.scoped, Effect.provide(connectorLayer))
  )

  const servers = {
    stdio: open(stdioConfig(process.execPath, [MODERN, "stdio"])),
    http: Effect.flatMap(serving("/mcp", MODERN, "http"), ({ url }) => open(httpConfig(url)))
  }
  for (const [transport, openModern] of Object.entries(servers)) {
    it.live(`a server of 2026-07-28 announces changes of its lists and resources, over ${transport}`, () =>
      Effect.gen(function* () {
        const connection = yield* openModern
        const touched = (uri: string) =>
          Effect.gen(function* () {
            const updated = told(connection, ({ _tag }) => _tag === "ResourceUpdated")
            yield* callTool(connection, "touch-resource", { uri })
            return yield* updated
          })
        yield* connection.watchResources(["demo://other"])
        yield* connection.watchResources(["demo://other", RESOURCE])
        assert.deepStrictEqual(yield* touched(RESOURCE), { _tag: "ResourceUpdated", uri: RESOURCE })
        const changed = told(connection, ({ _tag }) => _tag === "ListChanged")
        yield* callTool(connection, "add-tool", { name: "new-one" })
        yield* changed
        const { tools } = yield* connection.discover
        assert.include(
          tools.map(({ name }) => name),
          "new-one"
        )
        // The other stream is not touched by that.
        assert.deepStrictEqual(yield* touched("demo://other"), { _tag: "ResourceUpdated", uri: "demo://other" })
      }).pipe(Effect.scoped, Effect.provide(connectorLayer))
    )
  }
})
