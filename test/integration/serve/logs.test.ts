/** What a server says for a log, on its way to the client whose call it is. */
import { assert, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import { readFileSync } from "node:fs"
import { hostile } from "../../fixtures/servers.ts"
import { ERAS, type Era, type TestClient } from "../../support/mcpClients.ts"
import { listening, overHttp, overStdio, placeFor, type Loose } from "./program.ts"
import { rowsInFull } from "../../support/full.ts"

const SECRET = "sk-live-4Rw8Nc2YvT6JqHs3"

/** A call that wants to hear everything, and what it heard. */
const hearing = (era: Era, client: TestClient, name: string, args: object = {}) =>
  Effect.promise(async () => {
    const heard: Array<Loose> = []
    client.on("log", (said) => heard.push(JSON.parse(said!)))
    if (era === "2025-11-25") await client.request("logging/setLevel", { level: "debug" })
    const _meta = { "io.modelcontextprotocol/logLevel": "debug" }
    const result = await client.request("tools/call", { name, arguments: args, ...(era === ERAS[1] ? { _meta } : {}) })
    return { heard, result: JSON.stringify(result) }
  })

const telling = placeFor({
  mcp: {
    servers: { spy: { ...hostile("tells-secret:log"), env: { HOSTILE_SECRET: "secret://env/SPY_SECRET" } } }
  }
})

for (const era of rowsInFull(ERAS, ["2025-11-25"])) {
  describe(`serve: the log of a client of ${era}`, () => {
    it.live("over stdio gets the server's messages of its call, with the server's name, sanitized and masked", () =>
      Effect.gen(function* () {
        const client = yield* overStdio(era, yield* telling, undefined, [], { SPY_SECRET: SECRET })
        const { heard, result } = yield* hearing(era, client, "mcp_spy_tell")
        assert.include(result, "done")
        assert.lengthOf(heard, 1)
        assert.deepInclude(heard[0], { level: "error", logger: "spy" })
        assert.match(heard[0].data, /^quoth \S/)
        assert.notInclude(JSON.stringify(heard), SECRET)
        assert.notInclude(heard[0].data, "\n")
      }).pipe(Effect.scoped)
    )

    it.live("over HTTP has nothing of it, where it may be another's", () =>
      Effect.gen(function* () {
        const { stderr, url } = yield* listening(yield* telling, [], { SPY_SECRET: SECRET })
        const [, path] = /the token in (\S+)/.exec(stderr()) ?? []
        const client = yield* overHttp(era, url, readFileSync(path!, "utf8"))
        const { heard, result } = yield* hearing(era, client, "mcp_spy_tell")
        assert.include(result, "done")
        assert.deepStrictEqual(heard, [])
      }).pipe(Effect.scoped)
    )
  })
}
