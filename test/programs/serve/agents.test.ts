import { assert, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import { call, exchanging, offered, service, type Loose } from "./live.ts"

describe("serve: agents", () => {
  it.effect("a client gets the catalogue of its agent and no other's", () =>
    Effect.gen(function* () {
      const list = [
        { id: "a", mcp: { servers: { own: { command: "in-memory" } } }, tools: { deny: ["fs/*"] } },
        { id: "b" }
      ]
      const made = yield* service(
        { fs: {}, own: { config: { enabled: false } } },
        { oneClient: false, agents: ["b", "a"], config: { agents: { list } } }
      )
      const names = (agent?: string) =>
        Effect.gen(function* () {
          const offer = yield* offered(made, agent === undefined ? {} : { agent })
          const { tools } = (yield* offer.handlers["tools/list"]!({}, exchanging().exchange)) as Loose
          return tools.map(({ name }: Loose) => name).filter((name: string) => name !== "mcp_read_more")
        })
      assert.deepStrictEqual(yield* names("b"), ["mcp_fs_echo"])
      assert.deepStrictEqual(yield* names("a"), [])
      assert.deepStrictEqual(yield* names(), ["mcp_fs_echo"])
      const offer = yield* offered(made, { agent: "a" })
      assert.isTrue((yield* call(offer, "mcp_fs_echo", {})).isError)
      assert.include((yield* offered(made, { agent: "b" })).instructions, "fs")
      assert.isTrue((yield* Effect.exit(offered(made, { agent: "c" })))._tag === "Failure")
    })
  )

  it.effect("an agent that is not configured is refused by name, before anything is started", () =>
    Effect.gen(function* () {
      const error = yield* Effect.flip(service({ fs: {} }, { agents: ["nobody"] }))
      assert.include(error.message, "nobody")
    })
  )
})
