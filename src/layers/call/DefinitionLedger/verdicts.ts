/** Stores the decisions of the operator. */
import * as Clock from "effect/Clock"
import * as Effect from "effect/Effect"
import { decided, type ServerPins } from "../../../schemas/call/Pins.ts"
import { PinsFailed } from "../../../schemas/call/PinsFailed.ts"
import type { Decision } from "../../../services/call/DefinitionLedger.ts"
import type { Found, Held, PinChange, PinStore } from "../../../services/call/PinStore.ts"

/** The tools whose definition is the one that was meant. */
const meantIn = (pins: ServerPins, { tools }: Decision): ReadonlyArray<string> =>
  tools.flatMap(({ hash, name }) => {
    const pin = pins.tools.get(name)
    return pin !== undefined && (pin.pending ?? pin.approved)?.hash === hash ? [name] : []
  })

const NOT_READ: Found = { stamp: undefined, held: { _tag: "Nothing" } }

const after = (
  there: Held,
  decision: Decision,
  at: number
): Effect.Effect<PinChange<ReadonlyArray<string>>, string> => {
  if (there._tag !== "Pins") return Effect.fail(there._tag === "Nothing" ? "they are gone" : there.detail)
  const names = meantIn(there.pins, decision)
  const isForgotten = decision.verdict === "forget" && names.length === there.pins.tools.size
  if (isForgotten) return Effect.succeed({ value: names, keep: "nothing" })
  return Effect.succeed(
    names.length === 0 ? { value: names } : { value: names, keep: decided(there.pins, decision.verdict, names, at) }
  )
}

/** Returns the tools that the decision was stored for. */
export const keepVerdict = Effect.fnUntraced(
  function* (store: PinStore["Service"], decision: Decision) {
    const at = yield* Clock.currentTimeMillis
    const { value } = yield* store.modify(decision, NOT_READ, (there) => after(there, decision, at))
    return value
  },
  Effect.mapError((detail) => new PinsFailed({ detail }))
)
