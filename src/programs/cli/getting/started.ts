/** Starts the server that was changed once, and says how it went. If it does not start, only a person or `--force` goes on. */
import * as Effect from "effect/Effect"
import type { GatewayConfig } from "../../../schemas/config/GatewayConfig.ts"
import { faultOf } from "../../../schemas/connection/ServerState.ts"
import { renderTools } from "../../../schemas/content/Rendering.ts"
import { shown } from "../clients/shown.ts"
import { columns, complain, print } from "../output.ts"
import { pinNotes } from "../pins/text.ts"
import { agreed, mayAsk } from "../questions/agreeing.ts"
import { type Started, startOnce } from "./trial.ts"
import { refuse } from "./writing.ts"

export const started = Effect.fnUntraced(function* (
  config: GatewayConfig,
  agent: string | undefined,
  name: string,
  { force, yes }: { readonly force: boolean; readonly yes: boolean }
) {
  const outcome = yield* startOnce(config, agent, name)
  if (outcome.isReady) return outcome
  const reason = faultOf(name, outcome.status.lastError ?? `it is ${outcome.status.state}`)
  const told = `'${shown(name)}' does not start: ${shown(reason)}`
  if (!force && (yes || !mayAsk())) return yield* refuse(`${told}\nnothing was written; --force writes it anyway`)
  yield* complain(told)
  if (force) return outcome
  if (yield* agreed("Write it anyway? [y]es / [n]o: ")) return outcome
  return yield* refuse("nothing was written")
})

const count = (number: number, what: string): string => `${number} ${what}${number === 1 ? "" : "s"}`

/** The tools, for a person and for a program. */
export const showStarted = ({ isReady, servers, status, tools }: Started) => ({
  document: {
    state: status.state,
    tools: tools.map(({ description, name, tool }) => ({ name, tool, description })),
    ...(status.lastError !== null && { reason: status.lastError })
  },
  print: isReady
    ? Effect.gen(function* () {
        yield* print(renderTools(tools, columns()))
        for (const note of pinNotes(servers)) yield* complain(note)
        yield* print(`${count(status.tools, "tool")}, pinned: 'mcp-live pins' shows when one changes.`)
      })
    : Effect.void
})
