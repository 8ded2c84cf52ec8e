/**
 * Takes a person out of what pins say of how a server was started: earlier versions kept that as it was made for the person who came first. What was
 * approved stays approved, because no hash has ever had a person in it.
 */
import * as Effect from "effect/Effect"
import type { ServerPins } from "../../../schemas/call/Pins.ts"
import { segmentOf } from "../../../schemas/connection/PersonPlaceholder.ts"
import type { JsonObject } from "../../../schemas/data/Json.ts"
import type { PersonStore } from "../../../services/call/PersonStores.ts"
import type { PinStore } from "../../../services/call/PinStore.ts"

/** What a value is made of; with one of them beside it, it is a part of another value. */
const OF_VALUE = /[A-Za-z0-9_.+@-]/
const AFTER_VALUE = /[A-Za-z0-9_.+@=-]/

const without = (text: string, value: string): string =>
  text.replaceAll(value, (found, at: number) =>
    OF_VALUE.test(text[at - 1] ?? "") || AFTER_VALUE.test(text[at + value.length] ?? "") ? found : "{person}"
  )

const startedWithout = (started: JsonObject, values: ReadonlyArray<string>): JsonObject => {
  const { args } = started
  if (!Array.isArray(args)) return started
  const shown = (arg: unknown) => (typeof arg === "string" ? values.reduce(without, arg) : arg)
  return { ...started, args: args.map(shown) } as JsonObject
}

/** `undefined` where there is nothing of the person. */
const pinsWithout = (pins: ServerPins, values: ReadonlyArray<string>): ServerPins | undefined => {
  const launches = new Map([...pins.launches].map(([hash, started]) => [hash, startedWithout(started, values)]))
  const isSame = [...launches].every(
    ([hash, started]) => JSON.stringify(started) === JSON.stringify(pins.launches.get(hash))
  )
  return isSame ? undefined : { ...pins, launches }
}

const UNREAD = { stamp: undefined, held: { _tag: "Nothing" } } as const

export const launches = (store: PinStore["Service"]): PersonStore => ({
  what: "launches of servers beside pins",
  staysNameless: true,
  forget: Effect.fnUntraced(function* ({ ids, names }) {
    const values = [...names, ...ids].map(segmentOf)
    let count = 0
    for (const kept of yield* store.list) {
      if (kept._tag !== "Pins" || pinsWithout(kept.pins, values) === undefined) continue
      const { value } = yield* store.modify(kept.pins, UNREAD, (there) => {
        const keep = there._tag === "Pins" ? pinsWithout(there.pins, values) : undefined
        return Effect.succeed({ value: keep === undefined ? 0 : 1, keep })
      })
      count += value
    }
    return count
  })
})
