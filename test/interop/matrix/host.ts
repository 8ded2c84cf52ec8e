/** What a peer asks of its host, and gets. */
import { assert } from "@effect/vitest"
import * as Effect from "effect/Effect"
import { HostFeatures } from "../../../src/services/content/HostFeatures.ts"
import { ANSWER, call, callOf, ROOT, textOf } from "./cell.ts"
import { isUnknown, offered, type Expectations } from "./expectation.ts"

export const HOST: Expectations = {
  "its request for a completion is answered by the host's model, within limits": ({ peer, samplings }) =>
    Effect.gen(function* () {
      const result = yield* callOf(peer.sampling)
      assert.isFalse(result.isError, textOf(result.content))
      if (peer.showsSampled) assert.include(textOf(result.content), ANSWER)
      const asked = samplings.at(-1)!
      assert.include(asked.messages[0]!.content[0], { type: "text" })
      assert.include(JSON.stringify(asked.messages), "capital of France")
      assert.include(asked.systemPrompt, "not trusted")
      assert.include(asked.systemPrompt, "> You are a helpful test server.")
      assert.strictEqual(asked.maxTokens, 50)
    }),

  "its form reaches the person, and what they fill in reaches the server": ({ elicitations, peer }) =>
    offered(peer.elicitation, "startElicitation", ({ content, isError }) => {
      assert.isFalse(isError, textOf(content))
      const asked = elicitations.findLast(({ mode }) => mode === "form")!
      assert.strictEqual(asked.server, "peer")
      for (const [name, value] of Object.entries(peer.filledIn)) {
        assert.include(JSON.stringify(asked), JSON.stringify(name))
        assert.include(textOf(content), String(value))
      }
    }),

  "its address reaches the person in full": ({ elicitations, peer }) =>
    Effect.gen(function* () {
      if (peer.urlElicitation === undefined) return yield* isUnknown("trigger-url-elicitation")
      const url = "https://pay.example/checkout?order=1"
      const result = yield* call(peer.urlElicitation, { url, message: "Pay here" })
      assert.include(textOf(result.content), "accept")
      assert.deepInclude(elicitations.at(-1), {
        mode: "url",
        server: "peer",
        message: "Pay here",
        url,
        host: "pay.example"
      })
    }),

  "it sees the roots, and sees them change": ({ peer, transport }) =>
    Effect.gen(function* () {
      const { roots } = peer
      if (roots === undefined) return yield* isUnknown("listRoots")
      const features = yield* HostFeatures
      // Some servers ask for the roots when it suits them.
      const shows = (uri: string) =>
        call(roots).pipe(
          Effect.repeat({ until: ({ content }) => textOf(content).includes(uri) }),
          Effect.timeout("20 seconds")
        )
      // Over HTTP one asks before there is a stream for its question: it never sees the first roots, only later ones.
      if (!(peer.losesFirstRoots && transport === "http")) yield* shows(ROOT.uri)
      yield* features.setRoots([{ uri: "file:///another/place" }])
      yield* shows("file:///another/place")
      yield* features.setRoots([ROOT])
      yield* shows(ROOT.uri)
    })
}
