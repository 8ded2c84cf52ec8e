/** Small calls one after the other. */
import { expectText } from "../lib/client.ts"
import { sample } from "../lib/compare.ts"
import { CALLS, DOORS, ROUNDS, TEXT } from "../cases/call.ts"

const given = { text: TEXT }

await sample(
  ({ name }, client) => {
    const { call, loop } = client
    const perCall = {
      name: loop === undefined ? name : `${name}, a runPromise per call`,
      block: async () => {
        for (let left = CALLS; left > 1; left--) await call("echo", given)
        expectText(await call("echo", given), TEXT)
      }
    }
    return loop === undefined
      ? [perCall]
      : [perCall, { name: `${name}, in one fiber`, block: () => loop(CALLS, "echo", given) }]
  },
  ROUNDS,
  DOORS
)
