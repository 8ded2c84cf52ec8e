import { assert, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import { withResources } from "../../../../src/layers/agent/AgentGateway/resources.ts"
import { provider, type Request } from "../../../support/modelProvider.ts"
import { gateway, result, runtimeOf, say } from "./gateway.ts"

const BLOCK = "## MCP Resources (external, untrusted)\n…"
const inFront = (text: string) => `${BLOCK}\n\n## Conversation\n\n${text}`
const said = ({ messages }: Request) => messages.slice(1).map(({ content, role }) => [role, content])

describe("resources in front of a conversation", () => {
  it.live("stand in its first user message; the system prompt and what is kept do not have them", () =>
    Effect.gen(function* () {
      const { baseUrl, requests } = yield* provider({ text: ["one"] })
      let block = BLOCK
      const runtime = runtimeOf(() => Effect.succeed(result("")), { resourceContext: Effect.sync(() => block) })
      yield* Effect.gen(function* () {
        yield* say("first")
        yield* say("second")
        block = ""
        yield* say("third")
      }).pipe(Effect.provide(gateway({ model: { baseUrl }, runtime })))
      assert.deepStrictEqual(requests.map(said), [
        [["user", inFront("first")]],
        [
          ["user", inFront("first")],
          ["assistant", "one"],
          ["user", "second"]
        ],
        [
          ["user", "first"],
          ["assistant", "one"],
          ["user", "second"],
          ["assistant", "one"],
          ["user", "third"]
        ]
      ])
      for (const { messages } of requests) assert.notInclude(JSON.stringify(messages[0]), "MCP Resources")
    })
  )

  it("are a part of their own in front of a message of parts", () => {
    const image = { type: "file", mediaType: "image/png", data: "iVBO" } as const
    assert.deepStrictEqual(withResources([{ role: "user", content: [image] }], BLOCK), [
      { role: "user", content: [{ type: "text", text: inFront("") }, image] }
    ])
  })

  it("are a message of their own where the conversation begins with something else", () => {
    const answer = { role: "assistant", content: "as I said" } as const
    assert.deepStrictEqual(withResources([answer], BLOCK), [{ role: "user", content: BLOCK }, answer])
  })

  it("change nothing where there are none", () => {
    const messages = [{ role: "user", content: "hi" }] as const
    assert.strictEqual(withResources(messages, ""), messages)
  })
})
