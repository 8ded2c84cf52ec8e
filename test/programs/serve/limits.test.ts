import { assert, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import { ProtocolError } from "../../../src/schemas/connection/RequestError.ts"
import type { OfferedMethod } from "../../../src/services/listener/McpListener.ts"
import type { TestServer } from "../../../src/testing.ts"
import { call, offered, request, service, textOf, type Loose } from "./live.ts"

const fs: TestServer = {
  config: { limits: { perMinute: 60, burst: 3, failures: 2 } },
  tools: [
    { name: "say", handle: () => ({ content: [{ type: "text", text: "said" }] }) },
    { name: "break", handle: () => Effect.fail(new ProtocolError({ server: "fs", code: -32603, detail: "broken" })) }
  ]
}

/** Reads, prompts and completions, as calls: each reaches the server once. */
const ASKS: ReadonlyArray<readonly [OfferedMethod, Loose]> = [
  ["resources/read", { uri: "x://listed" }],
  ["resources/read", { uri: "made://by-nobody" }],
  ["prompts/get", { name: "mcp_fs_greet", arguments: { who: "you" } }],
  ["completion/complete", { ref: { type: "ref/prompt", name: "mcp_fs_greet" }, argument: { name: "who", value: "y" } }]
]
const asking: TestServer = {
  ...fs,
  resources: [{ uri: "x://listed", name: "listed" }],
  resourceTemplates: [{ uriTemplate: "made://{by}", name: "made" }],
  prompts: [{ name: "greet", arguments: [{ name: "who", required: true }], complete: () => ["you"] }]
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

  for (const [method, params] of ASKS) {
    it.effect(`are those of ${method} ${JSON.stringify(params)}, too, and its error says when to retry`, () =>
      Effect.gen(function* () {
        const made = yield* service({ fs: asking }, { oneClient: false })
        const [one, other] = [yield* of(made, "one"), yield* of(made, "other")]
        assert.include(textOf(yield* call(one, "mcp_fs_say")), "said")
        yield* Effect.replicateEffect(request(one, method, params), 2)
        const refused = yield* Effect.flip(request(one, method, params))
        assert.include(JSON.stringify(refused), "-32000")
        assert.include(String(refused.message), "too many calls")
        assert.include(textOf(yield* call(one, "mcp_fs_say")), "too many calls")
        yield* request(other, method, params)
        assert.include(textOf(yield* call(other, "mcp_fs_say")), "said")
      })
    )
  }

  it.effect("of the one client on stdio hold for its reads, too", () =>
    Effect.gen(function* () {
      const offer = yield* offered(yield* service({ fs: asking }))
      const [method, params] = ASKS[0]!
      yield* Effect.replicateEffect(request(offer, method, params), 3)
      assert.include(String((yield* Effect.flip(request(offer, method, params))).message), "too many calls")
    })
  )
})
