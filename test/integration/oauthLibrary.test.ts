import { assert, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import { loadMCPServers } from "../../src/programs/loadMCPServers.ts"
import type { LogRecord } from "../../src/programs/loadMCPServers/log.ts"
import { oauthServer } from "../fixtures/oauthServer.ts"
import { folder, keptIn } from "../support/oauth.ts"

describe("loadMCPServers and OAuth", () => {
  it.live("opens the login page, then has the server's tools; no token is logged", () =>
    Effect.gen(function* () {
      const fixture = yield* oauthServer
      const dataDirectory = yield* folder
      const shown: Array<string> = []
      const log: Array<LogRecord> = []
      yield* Effect.promise(async () => {
        await using provider = await loadMCPServers({ servers: { safe: { url: fixture.url } } }, undefined, {
          dataDirectory,
          onLog: (record) => log.push(record),
          onLoginRequired: async ({ issuer, server, url }) => {
            shown.push(`${server} ${issuer}`)
            await fixture.agree(url)
          }
        })
        const [tool] = provider.tools()
        const { content } = await tool!.execute("1", {})
        assert.include(JSON.stringify(content), "called with access")
      })
      assert.deepStrictEqual(shown, [`safe ${fixture.issuer}`])
      const { accessToken, refreshToken } = keptIn(dataDirectory).authorization!.tokens!
      for (const token of [accessToken, refreshToken!]) assert.notInclude(JSON.stringify(log), token)
    }).pipe(Effect.scoped)
  )

  it.live("a page that cannot be shown is a server that needs a login", () =>
    Effect.gen(function* () {
      const fixture = yield* oauthServer
      const dataDirectory = yield* folder
      yield* Effect.promise(async () => {
        await using provider = await loadMCPServers({ servers: { safe: { url: fixture.url } } }, undefined, {
          dataDirectory,
          onLoginRequired: async () => {
            throw new Error("no screen")
          }
        })
        assert.deepInclude(provider.statusDetails()["safe"], { state: "error" })
        assert.include(provider.statusDetails()["safe"]?.detail, "mcp-live login safe")
      })
    }).pipe(Effect.scoped)
  )

  it.live("masks the token in the result of a server that echoes it", () =>
    Effect.gen(function* () {
      const fixture = yield* oauthServer
      const dataDirectory = yield* folder
      fixture.state.echoes = true
      yield* Effect.promise(async () => {
        await using provider = await loadMCPServers({ servers: { safe: { url: fixture.url } } }, undefined, {
          dataDirectory,
          onLoginRequired: ({ url }) => fixture.agree(url)
        })
        const { content } = await provider.tools()[0]!.execute("1", {})
        const token = keptIn(dataDirectory).authorization!.tokens!.accessToken
        assert.notInclude(JSON.stringify(content), token)
        assert.include(JSON.stringify(content), "[REDACTED]")
      })
    }).pipe(Effect.scoped)
  )
})
