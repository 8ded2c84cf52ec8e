/** Sends one message to an OpenClaw gateway: gives it the tools of the session first, and then streams its run. */
import * as Effect from "effect/Effect"
import * as Result from "effect/Result"
import { GATEWAY_AWAY_TOLD_MS } from "../../../../schemas/defaults/Gateway.ts"
import { AWAY_ADVICE, GatewayError } from "../../../../schemas/agent/GatewayError.ts"
import type { Respond, Talk } from "../gateway.ts"
import { join } from "../joined.ts"
import { outgoing } from "./attachments.ts"
import { makeTurnCalls } from "./callMatching.ts"
import type { Deleted } from "./deleted.ts"
import type { makeInjection } from "./injection.ts"
import { makeRuns, type RunsOptions } from "./run.ts"

export interface RespondOptions extends RunsOptions {
  readonly injection: Effect.Success<ReturnType<typeof makeInjection>>
  /** Whether the gateway's sessions also get our configured servers. */
  readonly ownServers: boolean
  readonly keyOf: (sessionKey: string) => Effect.Effect<string, GatewayError>
  readonly deleted: Deleted
}

const sentence = (text: string): string => `${text.charAt(0).toUpperCase()}${text.slice(1)}.`

const stillThere = ({ code = "UNAVAILABLE", detail }: GatewayError) =>
  new GatewayError({
    code,
    detail: `This conversation was deleted, and what was said in it is still at the gateway (${detail}): begin a new one.`
  })

export const makeRespond = ({
  deleted,
  download,
  injection,
  keyOf,
  link,
  ownServers,
  sanitizer,
  scope
}: RespondOptions): Respond => {
  const runs = makeRuns({ download, link, sanitizer, scope })

  /** Tells the person when the gateway is not connected. */
  const greeted = (emit: Talk["emit"]) => {
    const tell = Effect.gen(function* () {
      yield* Effect.sleep(GATEWAY_AWAY_TOLD_MS)
      const why = (yield* link.trouble)?.detail
      if (why !== undefined)
        yield* emit({ _tag: "Notice", text: `${sentence(why)} It is still being tried. ${AWAY_ADVICE}`, passing: true })
      return yield* Effect.never
    })
    return Effect.raceFirst(link.hello, tell).pipe(
      Effect.mapError((error) =>
        error.code === "LINK_DOWN"
          ? new GatewayError({ code: error.code, detail: `${sentence(error.detail)} ${AWAY_ADVICE}` })
          : error
      )
    )
  }

  return Effect.fnUntraced(function* (parts, talk) {
    const { emit, sessionKey } = talk
    const { limits } = yield* greeted(emit)
    const prepared = outgoing(parts, limits)
    if (Result.isFailure(prepared)) return yield* new GatewayError({ detail: prepared.failure })
    const { attachments, message } = prepared.success
    const key = yield* keyOf(sessionKey)
    // A conversation that is started again after it was deleted must know nothing of the old one.
    yield* Effect.mapError(deleted.settle(sessionKey), stillThere)
    yield* runs.aborted(sessionKey)
    const given = { talk, key, sent: attachments.length === 0 ? { message } : { message, attachments } }
    const own = ownServers ? talk.own : undefined
    const runtime = own === undefined ? talk.brought : join(own, talk.brought)
    const tools = runtime === undefined ? [] : yield* runtime.tools
    if (runtime !== undefined && tools.length > 0) {
      yield* injection
        .give({ sessionKey, gatewayKey: key, runtime, own, brought: talk.brought })
        .pipe(
          Effect.catch(({ detail }) =>
            emit({ _tag: "Notice", text: `The gateway could not be given the tools of this session: ${detail}` })
          )
        )
    }
    if (runtime === undefined) return yield* runs.run({ ...given, turn: undefined })
    const turn = makeTurnCalls({ ...talk.callOptions, runtime, tools, emit })
    yield* injection.during(sessionKey, turn)
    return yield* runs.run({ ...given, turn })
  }, Effect.scoped)
}
