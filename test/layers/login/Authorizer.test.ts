import { assert, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import { AUTHORIZATIONS_KNOWN_MAX } from "../../../src/schemas/defaults/Authorization.ts"
import type { HttpLaunch } from "../../../src/schemas/connection/ServerConfig.ts"
import { Authorizer } from "../../../src/services/login/Authorizer.ts"
import { folder, world } from "../../support/oauth.ts"
import { serverConfig } from "../../support/serverConfig.ts"

const authorizationOf = (name: string) =>
  Authorizer.use(({ authorization }) => {
    const launch: HttpLaunch = { kind: "http", url: "https://a.example/mcp", headers: {} }
    return Effect.sync(() =>
      authorization({ config: serverConfig(name, { launch }), launch, url: new URL("https://a.example/mcp") })
    )
  })

describe("the Authorizer", () => {
  it.effect("keeps one authorization per server, and forgets the least recently used beyond its limit", () =>
    Effect.gen(function* () {
      yield* Effect.gen(function* () {
        const [first, second] = [yield* authorizationOf("first"), yield* authorizationOf("second")]
        for (let n = 0; n < AUTHORIZATIONS_KNOWN_MAX - 1; n++) {
          yield* authorizationOf(`other-${n}`)
          yield* authorizationOf("first")
        }
        assert.strictEqual(yield* authorizationOf("first"), first)
        assert.notStrictEqual(yield* authorizationOf("second"), second)
      }).pipe(Effect.provide(world({ directory: yield* folder })))
    })
  )
})
