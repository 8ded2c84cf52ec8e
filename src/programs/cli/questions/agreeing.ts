/** One question with yes or no, for commands that write or start something. */
import * as Effect from "effect/Effect"
import { makeFloor } from "./terminal.ts"

export const mayAsk = (): boolean => process.stdin.isTTY && process.stderr.isTTY

/** The terminal of this process. */
export const ownFloor = () => makeFloor({ input: process.stdin, output: process.stderr })

/** Only a yes is one. */
export const agreed = (question: string): Effect.Effect<boolean> =>
  ownFloor()(({ ask }) => ask(question)).pipe(
    Effect.map((answer) => /^y(?:es)?$/i.test(answer)),
    Effect.catchTag("Dismissed", () => Effect.succeed(false))
  )
