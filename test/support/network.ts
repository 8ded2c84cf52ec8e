/** Doors to the network that are closed with the Scope, and look-ups that a test answers. */
import * as Effect from "effect/Effect"
import * as NetworkGuardLayer from "../../src/layers/connection/NetworkGuard.ts"
import type { LookUp } from "../../src/layers/connection/NetworkGuard/connect.ts"
import type { GuardedFetchOptions } from "../../src/services/connection/NetworkGuard.ts"

/** Answers each look-up with the next of these lists of addresses, the last one for ever; counts them. */
export const answering = (...answers: ReadonlyArray<ReadonlyArray<string>>) => {
  const asked: Array<string> = []
  const lookUp: LookUp = (name, _options, callback) => {
    const addresses = answers[Math.min(asked.length, answers.length - 1)] ?? []
    asked.push(name)
    queueMicrotask(() =>
      callback(
        null,
        addresses.map((address) => ({ address, family: address.includes(":") ? 6 : 4 }))
      )
    )
  }
  return { asked, lookUp }
}

/** A door to what the operator wrote, as `own`. */
export const openDoor = (options: Partial<GuardedFetchOptions> = {}, guard: NetworkGuardLayer.Options = {}) =>
  Effect.acquireRelease(
    Effect.sync(() =>
      NetworkGuardLayer.make(guard).open({ server: "web", own: [], connectTimeoutMs: 5_000, ...options })
    ),
    ({ close }) => Effect.promise(close)
  )

export const doorTo = (url: string, allowPrivate = false, guard: NetworkGuardLayer.Options = {}) =>
  openDoor({ own: [{ url: new URL(url), allowPrivate }] }, guard)
