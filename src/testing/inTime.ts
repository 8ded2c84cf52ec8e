/** Deadlines of requests to servers in memory, on Effect's Clock, as a real connection has them. */
import * as Clock from "effect/Clock"
import * as Effect from "effect/Effect"
import { CallTimeout, type RequestError } from "../schemas/connection/RequestError.ts"
import type { RequestOptions } from "../services/connection/ServerConnector.ts"
import type { TestHost } from "./TestData.ts"

/** When a server was last heard from. While the host answers one of its requests, it may be silent. */
interface Life {
  heardAt: number
  asking: number
}

const untilSilent = Effect.fnUntraced(function* (idleMs: number, life: Life) {
  while (true) {
    const now = yield* Clock.currentTimeMillis
    const left = (life.asking > 0 ? now : life.heardAt) + idleMs - now
    if (left <= 0) return
    yield* Effect.sleep(left)
  }
})

export const inTime = <A>(
  server: string,
  method: string,
  ask: TestHost["ask"],
  clock: Clock.Clock,
  { idleMs, onProgress, totalMs }: RequestOptions,
  call: (host: TestHost) => Effect.Effect<A, RequestError>
): Effect.Effect<A, RequestError> =>
  Effect.suspend(() => {
    const life: Life = { heardAt: clock.currentTimeMillisUnsafe(), asking: 0 }
    const heard = () => {
      life.heardAt = clock.currentTimeMillisUnsafe()
    }
    const host: TestHost = {
      ask: (asked, params) =>
        Effect.suspend(() => {
          life.asking++
          return Effect.ensuring(
            ask(asked, params),
            Effect.sync(() => {
              life.asking--
              heard()
            })
          )
        }),
      report: (progress) => {
        heard()
        onProgress?.({ ...progress })
      }
    }
    const timedOut = (deadline: "idle" | "total", timeoutMs: number) =>
      Effect.fail(new CallTimeout({ server, method, timeoutMs, deadline }))
    return call(host).pipe(
      Effect.raceFirst(Effect.andThen(untilSilent(idleMs, life), timedOut("idle", idleMs))),
      Effect.timeoutOrElse({ duration: totalMs, orElse: () => timedOut("total", totalMs) })
    )
  })
