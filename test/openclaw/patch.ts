/** Changes of the real gateway's configuration. */
import * as Effect from "effect/Effect"
import { isObject } from "../../src/schemas/data/Json.ts"
import { GatewayLink } from "../../src/services/agent/GatewayLink.ts"

/** Some changes are taken by the gateway at once, of others it says when it is there again. */
export const patch = (change: object, ...lists: ReadonlyArray<string>) =>
  Effect.gen(function* () {
    const { operator } = yield* GatewayLink
    const answer = yield* operator.request("config.get", {})
    const hash = isObject(answer) ? answer["hash"] : undefined
    yield* operator.request("config.patch", {
      raw: JSON.stringify(change),
      ...(typeof hash === "string" && { baseHash: hash }),
      ...(lists.length > 0 && { replacePaths: lists })
    })
  })

/** The agents of the tests, in a form that the gateway also takes when it has them already. */
export const TWO_AGENTS = { ownership: "explicit", entries: { main: {}, other: {} } }
