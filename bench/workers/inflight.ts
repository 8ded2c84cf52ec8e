/** Many calls at once, every answer checked against its question. */
import { expectText } from "../lib/client.ts"
import { sample } from "../lib/compare.ts"
import { BATCHES, CALLS, ROUNDS } from "../cases/inflight50.ts"

const texts = Array.from({ length: CALLS }, (_, call) => `call ${call}.`)

await sample(
  ({ name }, { call }) => [
    {
      name,
      block: async () => {
        for (let left = BATCHES; left > 0; left--) {
          const results = await Promise.all(texts.map((text) => call("echo", { text })))
          for (const [index, text] of texts.entries()) expectText(results[index], text)
        }
      }
    }
  ],
  ROUNDS
)
