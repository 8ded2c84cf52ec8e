/**
 * What servers ask of their host: a question about a call of another node is answered there. In doubt, nobody is asked: it could be another
 * person than the one whose call it is about.
 */
import * as Clock from "effect/Clock"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import { poolKeyOf } from "../../schemas/connection/Isolation.ts"
import { HostRefusal, REFUSED } from "../../schemas/content/HostRequest.ts"
import type { JsonObject } from "../../schemas/data/Json.ts"
import { UNASKED_LOGGED_MS, UNASKED_REMEMBERED_MAX } from "../../schemas/defaults/FleetNodes.ts"
import { HostFeatures } from "../../services/content/HostFeatures.ts"
import { HomeCallers, OwnCaller } from "../../services/fleet/HomeServers.ts"
import { makeSeldom } from "../../system/seldom.ts"

/** The directories of a server are those of where it runs. */
const NEAR = "roots/list"

const ELICITATION = "elicitation/create"

/** Servers can handle a "no" of a person. */
const notAsked = (method: string): Effect.Effect<JsonObject, HostRefusal> =>
  method === ELICITATION
    ? Effect.succeed({ action: "decline" })
    : Effect.fail(new HostRefusal({ code: REFUSED, message: "there is no client to ask" }))

export const layer: Layer.Layer<HostFeatures, never, HostFeatures | HomeCallers> = Layer.effect(
  HostFeatures,
  Effect.gen(function* () {
    const own = yield* HostFeatures
    const callers = yield* HomeCallers
    const { currentTimeMillisUnsafe } = yield* Clock.Clock
    const isNews = makeSeldom(UNASKED_LOGGED_MS, UNASKED_REMEMBERED_MAX, () => currentTimeMillisUnsafe())
    const warn = (words: string) => Effect.suspend(() => (isNews(words) ? Effect.logWarning(words) : Effect.void))
    return HostFeatures.of({
      ...own,
      answer: Effect.fnUntraced(function* (server, method, params) {
        const whom = method === NEAR ? undefined : ((yield* OwnCaller) ?? (yield* callers.whom(poolKeyOf(server))))
        if (typeof whom !== "string")
          return yield* (whom?.ask ?? ((...asked) => own.answer(server, ...asked)))(method, params)
        yield* warn(`${method} of MCP server '${server.name}' was not passed on: ${whom}`)
        return yield* notAsked(method)
      })
    })
  })
)
