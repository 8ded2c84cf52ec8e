import { assert, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as Stream from "effect/Stream"
import { makeClientRules } from "../../../src/programs/clientRules.ts"
import type { Behind } from "../../../src/programs/mcpServer/place.ts"
import { serveOrders } from "../../../src/programs/mcpServer/offer.ts"
import { STATUS } from "../../../src/programs/mcpServer/tools.ts"
import type { GatewayConfig } from "../../../src/schemas/config/GatewayConfig.ts"
import type { OrderClient } from "../../../src/schemas/agent/OrderSession.ts"
import type { Identity } from "../../../src/schemas/login/Identity.ts"
import { exchanging } from "../serve/live.ts"

const ADA: Identity = {
  client: "editor",
  person: { issuer: "https://login.example.com", subject: "1", name: "ada" },
  groups: ["staff"],
  roles: [],
  scopes: []
}

/** Asks for a status, and says who asked, as the rules of clients see them. */
const asking = Effect.fnUntraced(function* (
  client: { readonly principal: string; readonly identity?: Identity; readonly latest?: () => Identity },
  principal?: string
) {
  const seen: Array<Identity | undefined> = []
  const status = (_: string, { identity }: OrderClient) => {
    seen.push(identity)
    return Effect.succeed({ sessionKey: "k", state: "idle", waiting: 0, turns: 0 })
  }
  const behind = { orders: { status }, isBelowGateway: () => false } as unknown as Behind
  const { callerOf } = makeClientRules(() => ({}) as GatewayConfig)
  const overHttp = principal === undefined ? { callerOf } : {}
  const serve = serveOrders({ behind: Effect.succeed(behind), principal, ...overHttp })
  const offer = yield* Effect.scoped(
    serve({ agent: undefined, identity: undefined, only: undefined, name: "test", roots: Stream.empty, ...client })
  )
  yield* offer.handlers["tools/call"]!({ name: STATUS, arguments: { sessionKey: "k" } }, exchanging().exchange)
  return seen
})

describe("the rules of clients see", () => {
  it.effect("the client with a token of the configuration by its name", () =>
    Effect.gen(function* () {
      const [seen] = yield* asking({ principal: "client laptop" })
      assert.strictEqual(seen?.client, "laptop")
      assert.isUndefined(seen?.person)
    })
  )

  it.effect("a person as the latest token says", () =>
    Effect.gen(function* () {
      const latest = { ...ADA, groups: [] }
      assert.deepStrictEqual(yield* asking({ principal: "ada", identity: ADA, latest: () => latest }), [latest])
    })
  )

  it.effect("nobody on stdin: that is the user who started us", () =>
    Effect.gen(function* () {
      assert.deepStrictEqual(yield* asking({ principal: "local" }, "local"), [undefined])
    })
  )
})
