/** Sounds in an order to a model that may refuse them. */
import { assert, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import { base64, FILES } from "../../support/media.ts"
import { connected } from "../../support/mcpClients.ts"
import { provider, type Reply } from "../../support/modelProvider.ts"
import { launch, model, ORDER, type Result } from "./program.ts"

const REFUSAL: Reply = { status: 400, message: "this model takes no input_audio" }
const wav = { data: base64(FILES["audio/wav"]!), mimeType: "audio/wav", filename: "voice.wav" }

const ordered = Effect.fnUntraced(function* (replies: ReadonlyArray<Reply>, files: ReadonlyArray<object>) {
  const behind = yield* provider(...replies)
  const client = yield* connected("2025-11-25", yield* launch({ config: model(behind.baseUrl) }))
  const result = yield* Effect.promise(
    () =>
      client.request("tools/call", { name: ORDER, arguments: { message: "hear", files } }) as unknown as Promise<Result>
  )
  return { result, asked: behind.requests.map(({ messages }) => JSON.stringify(messages.at(-1)!.content)) }
})

describe("an order with a sound", () => {
  it.live("that the model refuses is answered all the same, and says so in a sentence", () =>
    Effect.gen(function* () {
      const { asked, result } = yield* ordered([REFUSAL, { text: ["Told."] }], [wav])
      assert.isFalse(result.isError)
      assert.match(result.structuredContent!.text, /^Told\.\s+The model refuses sounds/)
      assert.lengthOf(asked, 2)
      assert.include(asked[0], "input_audio")
      assert.notInclude(asked[1], "input_audio")
      assert.include(asked[1], "voice.wav")
    })
  )

  it.live("fails where the model refuses it without the sound as well; one without a sound is asked once", () =>
    Effect.gen(function* () {
      const twice = yield* ordered([REFUSAL, REFUSAL], [wav])
      assert.isTrue(twice.result.isError)
      assert.lengthOf(twice.asked, 2)
      const once = yield* ordered([REFUSAL, { text: ["No."] }], [])
      assert.isTrue(once.result.isError)
      assert.lengthOf(once.asked, 1)
    })
  )
})
