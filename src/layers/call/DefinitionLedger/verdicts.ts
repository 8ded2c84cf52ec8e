/** Lists the pin files for the operator, and stores their decisions. */
import * as Clock from "effect/Clock"
import * as Effect from "effect/Effect"
import { decided, withoutClaimed, type ServerPins } from "../../../schemas/call/Pins.ts"
import { PinsFailed } from "../../../schemas/call/PinsFailed.ts"
import type { Decision, Kept } from "../../../services/call/DefinitionLedger.ts"
import { fileSystemSays } from "../../../system/ownFiles.ts"
import * as Files from "./pinFiles.ts"
import { PINS_LOCK_WAIT_MS } from "../../../schemas/defaults/Pins.ts"
import { withLock } from "../../../system/fileLock.ts"

export const listKept = (directory: string): Effect.Effect<ReadonlyArray<Kept>, PinsFailed> =>
  Effect.try({
    try: () => {
      const kept = Files.listFiles(directory).flatMap((file): ReadonlyArray<Kept> => {
        const held = Files.read(file)
        if (held._tag === "Pins") return [held]
        return held._tag === "Nothing" ? [] : [{ _tag: "Unreadable", file, detail: held.detail }]
      })
      const shown = new Set(withoutClaimed(kept.flatMap((one) => (one._tag === "Pins" ? [one.pins] : []))))
      return kept.filter((one) => one._tag !== "Pins" || shown.has(one.pins))
    },
    catch: (error) => new PinsFailed({ detail: fileSystemSays(error) })
  })

/** The tools whose definition is the one that was meant. */
const meantIn = (pins: ServerPins, { tools }: Decision): ReadonlyArray<string> =>
  tools.flatMap(({ hash, name }) => {
    const pin = pins.tools.get(name)
    return pin !== undefined && (pin.pending ?? pin.approved)?.hash === hash ? [name] : []
  })

/** Returns the tools that the decision was stored for. */
export const keepVerdict = Effect.fnUntraced(
  function* (directory: string, decision: Decision) {
    const file = Files.fileOf(directory, decision.server, decision.launch, decision.configuration)
    const at = yield* Clock.currentTimeMillis
    yield* withLock(`${file}.lock`, PINS_LOCK_WAIT_MS)
    const held = Files.read(file)
    if (held._tag !== "Pins") return yield* Effect.fail(held._tag === "Nothing" ? "they are gone" : held.detail)
    const names = meantIn(held.pins, decision)
    const isForgotten = decision.verdict === "forget" && names.length === held.pins.tools.size
    if (isForgotten) {
      yield* Effect.try({
        try: () => {
          Files.remove(file)
          // Otherwise it would be adopted again.
          Files.remove(Files.fileOf(directory, decision.server, decision.launch))
        },
        catch: fileSystemSays
      })
      return names
    }
    if (names.length === 0) return names
    const after = decided(held.pins, decision.verdict, names, at)
    yield* Effect.tryPromise({ try: () => Files.replace(file, after), catch: fileSystemSays })
    return names
  },
  Effect.scoped,
  Effect.mapError((detail) => new PinsFailed({ detail }))
)
