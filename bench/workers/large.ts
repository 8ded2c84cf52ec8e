/** One large result per block. */
import { textOf } from "../lib/client.ts"
import { sample } from "../lib/compare.ts"
import { BYTES, ROUNDS } from "../cases/large.ts"

await sample(
  ({ name }, { call }) => [
    {
      name,
      block: async () => {
        const text = textOf(await call("big", { bytes: BYTES }))
        // mcp-live cuts what a model would not read to the budget of a result; the others hand all of it on.
        const whole = name === "mcp-live" || text.length === BYTES
        if (!whole || !text.includes("xxxxxxxx")) throw new Error(`${name} answered ${text.length} characters`)
      }
    }
  ],
  ROUNDS
)
