import { assert, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import type { Own } from "../../../src/programs/serve/own.ts"
import { startAgain } from "../../../src/programs/serve/reached.ts"
import { heldByClient } from "../../../src/schemas/connection/Isolation.ts"
import { serverConfig } from "../../../src/schemas/connection/ServerConfig.ts"

const written = serverConfig(
  "tickets",
  {
    kind: "http",
    url: "https://tickets.example/mcp",
    headers: {},
    auth: { grant: "authorization_code", per: "person" }
  },
  { share: false, isolate: "person" }
)

/** As one of the clients of somebody has it. */
const of = (subject: string, client = "desktop") =>
  heldByClient(written, "person", {
    principal: `${subject} by ${client}`,
    session: client,
    person: { issuer: "https://login.example.com", subject, name: subject }
  })

/** What was started over. */
const afterLogin = (states: Readonly<Record<string, string>>) =>
  Effect.gen(function* () {
    const reset: Array<string> = []
    const reached = Object.entries(states).map(([whose, _tag]) => {
      const agent = { id: "main", servers: [of(whose)] }
      const runtime = {
        inspect: () => Effect.succeed({ snapshot: { state: { _tag } } }),
        reset: (name: string) => Effect.sync(() => reset.push(`${name} of ${whose}`))
      }
      return { agent: () => agent, runtime: Effect.succeed(runtime) } as unknown as Own
    })
    yield* startAgain(reached)(of("ada", "the page"))
    return reset
  })

describe("a server of somebody who has connected their account", () => {
  for (const state of ["Failed", "Backoff"]) {
    it.effect(
      `is tried again at once when it is ${state}, with whatever client they have it, and nobody else's is`,
      () =>
        Effect.gen(function* () {
          assert.deepStrictEqual(yield* afterLogin({ bob: "Failed", ada: state }), ["tickets of ada"])
        })
    )
  }

  it.effect("is left alone when it is there or connects already, and nobody has to have it", () =>
    Effect.gen(function* () {
      for (const ada of ["Ready", "Connecting", "Idle"]) assert.deepStrictEqual(yield* afterLogin({ ada }), [])
      assert.deepStrictEqual(yield* afterLogin({ bob: "Failed" }), [])
    })
  )
})
