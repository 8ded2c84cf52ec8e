import { assert, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import { ProtocolError } from "../../../src/schemas/connection/RequestError.ts"
import type { TestServer } from "../../../src/testing.ts"
import { call, offered, service, textOf } from "./live.ts"

const fs: TestServer = {
  config: { limits: { perMinute: 60, burst: 3, failures: 2 } },
  tools: [
    { name: "say", handle: () => ({ content: [{ type: "text", text: "said" }] }) },
    { name: "break", handle: () => Effect.fail(new ProtocolError({ server: "fs", code: -32603, detail: "broken" })) }
  ]
}

const of = (made: Effect.Success<ReturnType<typeof service>>, principal: string) => offered(made, { principal })

describe("serve: limits of calls", () => {
  it.effect("of one client over HTTP are no other's, in however many sessions", () =>
    Effect.gen(function* () {
      const made = yield* service({ fs }, { oneClient: false })
      const [one, again, other] = [yield* of(made, "one"), yield* of(made, "one"), yield* of(made, "other")]
      for (const offer of [one, again, one]) assert.include(textOf(yield* call(offer, "mcp_fs_say")), "said")
      for (const offer of [one, again]) assert.include(textOf(yield* call(offer, "mcp_fs_say")), "too many calls")
      assert.include(textOf(yield* call(other, "mcp_fs_say")), "said")
    })
  )

  it.effect("a server that one client has fail is not kept from another", () =>
    Effect.gen(function* () {
      const made = yield* service({ fs }, { oneClient: false })
      const [one, other] = [yield* of(made, "one"), yield* of(made, "other")]
      yield* Effect.replicateEffect(call(one, "mcp_fs_break"), 2)
      const refused = textOf(yield* call(one, "mcp_fs_say"))
      assert.notInclude(refused, "said")
      assert.include(textOf(yield* call(other, "mcp_fs_say")), "said")
    })
  )
})
