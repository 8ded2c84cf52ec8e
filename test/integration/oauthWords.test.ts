import { assert, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import { loadMCPServers } from "../../src/programs/loadMCPServers.ts"
import type { LogRecord } from "../../src/programs/loadMCPServers/log.ts"
import { oauthServer, type OAuthFixture } from "../fixtures/oauthServer.ts"
import { serverPath } from "../fixtures/servers.ts"
import { folder, keptIn } from "../support/oauth.ts"

/** What an enemy would have withheld from the other server: values, names of arguments, and its own name. */
const WORDS = ["README.md", "message", "content", "https:/", "everything", "https://example.com/a"]

/** Gives these in turn, for a second each, and takes only the last. */
const giving = ({ expire, state, url }: OAuthFixture, tokens: ReadonlyArray<string>) => {
  let count = 0
  const next = () => tokens[count++ % tokens.length]!
  state.onToken = () => {
    const [access_token, refresh_token] = [next(), next()]
    expire()
    state.accessTokens.set(access_token, { scopes: ["read"], resource: url, family: { revoked: false } })
    return { status: 200, body: { access_token, refresh_token, token_type: "Bearer", expires_in: 1 } }
  }
}

interface Play {
  readonly log: ReadonlyArray<LogRecord>
  /** Has the other server say this, and gives what came of it. */
  readonly echo: (message: string) => Promise<string>
  readonly callStranger: () => Promise<unknown>
}

/** The stranger, and an honest server beside it. */
const playing = (fixture: OAuthFixture, dataDirectory: string, play: (play: Play) => Promise<void>) =>
  Effect.promise(async () => {
    const log: Array<LogRecord> = []
    await using provider = await loadMCPServers(
      {
        servers: {
          stranger: { url: fixture.url },
          honest: { command: process.execPath, args: [serverPath("everything"), "stdio"] }
        }
      },
      undefined,
      { dataDirectory, onLog: (record) => log.push(record), onLoginRequired: ({ url }) => fixture.agree(url) }
    )
    const execute = async (name: string, args: Record<string, unknown>) => {
      const tool = provider.tools().find((each) => each.name === name)
      return JSON.stringify((await tool!.execute("1", args)).content)
    }
    await play({
      log,
      echo: (message) => execute("honest__echo", { message }),
      callStranger: () => execute("stranger__whoami", {})
    })
  })

const honest = async ({ echo }: Play) => {
  for (const word of WORDS) {
    const said = await echo(`about ${word}`)
    assert.include(said, `Echo: about ${word}`)
    assert.notInclude(said, "[REDACTED]")
  }
}

describe("a server whose authorization server gives words as tokens", () => {
  it.live("keeps no other server from being sent them, nor from saying them, also after a restart", () =>
    Effect.gen(function* () {
      const fixture = yield* oauthServer
      const dataDirectory = yield* folder
      giving(fixture, WORDS)
      yield* playing(fixture, dataDirectory, async (play) => {
        await honest(play)
        for (let round = 1; round <= 2; round++) {
          fixture.expire()
          await play.callStranger()
          await honest(play)
          assert.lengthOf(fixture.grants("refresh_token"), round)
        }
        const told = play.log.filter(({ message }) => String(message).includes("does not look random"))
        assert.lengthOf(told, 1)
        assert.include(JSON.stringify(told), "stranger")
      })
      assert.include(WORDS, keptIn(dataDirectory).authorization?.tokens?.accessToken)
      yield* playing(fixture, dataDirectory, honest)
    }).pipe(Effect.scoped)
  )

  it.live("does not withhold ordinary words that are the secret of a client", () =>
    Effect.gen(function* () {
      const fixture = yield* oauthServer
      const dataDirectory = yield* folder
      fixture.state.onRegister = (answer) => ({ ...answer, client_secret: "README.md" })
      yield* playing(fixture, dataDirectory, honest)
      assert.include(JSON.stringify(keptIn(dataDirectory).clients), "README.md")
    }).pipe(Effect.scoped)
  )

  it.live("tokens that are tokens stay withheld and masked beside them", () =>
    Effect.gen(function* () {
      const fixture = yield* oauthServer
      const dataDirectory = yield* folder
      yield* playing(fixture, dataDirectory, async (play) => {
        await play.callStranger()
        const { accessToken, refreshToken } = keptIn(dataDirectory).authorization!.tokens!
        for (const token of [accessToken, refreshToken!]) {
          const said = await play.echo(`about ${token}`)
          assert.include(said, "secret that does not belong to this server")
          assert.notInclude(said, token)
        }
        await honest(play)
      })
    }).pipe(Effect.scoped)
  )
})
