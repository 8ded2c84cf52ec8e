/** What clients are told about requests of a node that is dead. */
import { assert, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import {
  askedAt,
  askedIn,
  labelOf,
  lostAnswers,
  originIn,
  repeatedResult
} from "../../../../../src/layers/listener/McpListener/requests/lost.ts"
import type { CallFate } from "../../../../../src/services/listener/SessionDirectory.ts"

const event = (asked: ReadonlyArray<{ readonly id: string | number; readonly isCall: boolean }>) =>
  `0123456789abcdef-2-17${labelOf(asked)}`

describe("requests of a node that is dead", () => {
  it("are known by the names of the events on their stream", () => {
    const asked = [
      { id: 7, isCall: true },
      { id: "a-b.ü", isCall: false }
    ]
    assert.deepStrictEqual(askedAt(event(asked)), asked)
    assert.deepStrictEqual(askedAt("0123456789abcdef-1-3"), [])
  })

  for (const wrong of [
    "",
    "a-b",
    "0123456789abcdef-x-3",
    "0123456789abcdef-1-3-!!",
    `${event([])}`.slice(0, -3),
    "1-2-3-4"
  ]) {
    it(`are not read from the name '${wrong}', which is none`, () => {
      const found = askedAt(wrong)
      assert.isTrue(found === undefined || found.length === 0)
    })
  }

  it("are those of a body that have an id and a method", () => {
    const body = [
      { id: 1, method: "tools/call" },
      { id: 2, method: "tools/list" },
      { method: "notifications/initialized" },
      { id: 3, result: {} }
    ]
    assert.deepStrictEqual(askedIn(body), [
      { id: 1, isCall: true },
      { id: 2, isCall: false }
    ])
  })

  it.effect("are answered with what the journal knows of calls; others may be sent again", () =>
    Effect.gen(function* () {
      const fates: Readonly<Record<string, CallFate | undefined>> = { 1: "done", 2: "failed", 3: "unknown" }
      const fateOf = ({ request }: { readonly request: string | number }) => Effect.succeed(fates[request])
      const asked = [1, 2, 3, 4].map((id) => ({ id, isCall: true }))
      const answers = yield* lostAnswers({ fateOf }, (request) => ({ session: "s", request }), [
        ...asked,
        { id: 5, isCall: false }
      ])
      const words = answers.map((answer) => JSON.stringify(answer))
      assert.match(words[0]!, /"id":1.*was executed.*"isError":true/)
      assert.match(words[1]!, /has failed.*"isError":true/)
      assert.match(words[2]!, /may have been executed.*"isError":true/)
      assert.match(words[3]!, /may have been executed.*"isError":true/)
      assert.match(words[4]!, /"id":5,"error".*send it again/)
    })
  )

  it("are not said to be not executed when they were run again: that is known of the second run only", () => {
    const refused = { isError: true, content: [{ type: "text", text: "The call was not sent." }] }
    const told = JSON.stringify(repeatedResult(refused))
    assert.match(told, /was not sent.*may have been executed/)
    const good = { content: [{ type: "text", text: "all is well" }] }
    assert.strictEqual(repeatedResult(good), good)
  })

  it("have one name in the journal, however often their client comes back", () => {
    assert.deepStrictEqual(originIn("a.0f.key.first"), originIn("a.0f.key.second"))
    assert.notDeepEqual(originIn("a.0f.key.first"), originIn("a.0f.other.first"))
  })
})
