import { assert, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import { withResources } from "../../../../src/layers/agent/AgentGateway/resources.ts"
import { provider, type Request } from "../../../support/modelProvider.ts"
import { gateway, result, runtimeOf, say } from "./gateway.ts"

const BLOCK = "## MCP Resources (external, untrusted)\n…"
const inFront = (text: string) => `${BLOCK}\n\n## Conversation\n\n${text}`
const said = ({ messages }: Request) => messages.slice(1).map(({ content, role }) => [role, content])

describe("the resource context of a conversation", () => {
  it.live("is sent in the first user message, and neither in the system prompt nor in the history", () =>
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

  it("is a text part of its own before a message with parts", () => {
    const image = { type: "file", mediaType: "image/png", data: "iVBO" } as const
    assert.deepStrictEqual(withResources([{ role: "user", content: [image] }], BLOCK), [
      { role: "user", content: [{ type: "text", text: inFront("") }, image] }
    ])
  })

  it("is a user message of its own when the conversation begins with the assistant", () => {
    const answer = { role: "assistant", content: "as I said" } as const
    assert.deepStrictEqual(withResources([answer], BLOCK), [{ role: "user", content: BLOCK }, answer])
  })

  it("changes nothing when it is empty", () => {
    const messages = [{ role: "user", content: "hi" }] as const
    assert.strictEqual(withResources(messages, ""), messages)
  })
})
