/**
 * Runs agent requests of MCP clients: the queue, the key of each client's conversation, the answer built from the agent's
 * events, and progress reports.
 */
import * as Clock from "effect/Clock"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Stream from "effect/Stream"
import { type Caller, callerWith, loggedInId } from "../../schemas/call/Caller.ts"
import type { AgentEvent } from "../../schemas/agent/AgentEvent.ts"
import { ORDER_ALIVE_MS, ORDERS_HELD_MAX_BYTES } from "../../schemas/defaults/Orders.ts"
import { ERROR_TEXT_MAX_CHARS } from "../../schemas/defaults/Results.ts"
import type { GatewayError } from "../../schemas/agent/GatewayError.ts"
import { makeAnswer, type OrderEnd } from "../../schemas/agent/OrderAnswer.ts"
import { chainMeta, chainProblem, deeper, markOf, readChain, type Above } from "../../schemas/agent/OrderChain.ts"
import { DEFAULT_ORDER, type OrderConfig } from "../../schemas/agent/OrderConfig.ts"
import { OrderFailed, OrderRefused } from "../../schemas/agent/OrderError.ts"
import { heldBytes, type OrderInput } from "../../schemas/agent/OrderInput.ts"
import { freshSessionKey, orderKey, type OrderClient } from "../../schemas/agent/OrderSession.ts"
import { historyOf, type OrderStatus } from "../../schemas/agent/OrderStatus.ts"
import type { Original, ToolResult } from "../../schemas/call/Tool.ts"
import type { UserMessage } from "../../schemas/agent/UserMessage.ts"
import { AgentGateway } from "../../services/agent/AgentGateway.ts"
import { ConfigSource } from "../../services/config/ConfigSource.ts"
import type { ConfigError } from "../../schemas/config/ConfigError.ts"
import { ContentSanitizer } from "../../services/content/ContentSanitizer.ts"
import { Orders, type PlaceOptions } from "../../services/agent/Orders.ts"
import { McpRuntime, type McpRuntimeShape, type WholeRuntime } from "../../services/call/McpRuntime.ts"
import { Redactor } from "../../services/content/Redactor.ts"
import { ResultStore } from "../../services/call/ResultStore.ts"
import { inTurns } from "../../system/inTurns.ts"
import { again } from "../../system/rounds.ts"
import { chainKey } from "./Orders/chainKey.ts"
import { makeDoing, type Doing } from "./Orders/doing.ts"
import { makeQuota } from "./Orders/quota.ts"
import { makeTurns } from "./Orders/orderQueue.ts"
import { makeUnderway, NONE_UNDERWAY } from "./Orders/runningOrders.ts"

type Answer = ReturnType<typeof makeAnswer>

/** What a session is doing now. */
interface Running {
  readonly since: number
  doing: Doing
}

const SECOND_MS = 1_000
const WORKING: Doing = { words: "Working", plain: "Working" }

const messageOf = ({ attachments, message }: OrderInput): UserMessage =>
  attachments.length === 0 ? message : [{ type: "text", text: message }, ...attachments]

const seconds = (ms: number): number => Math.max(1, Math.ceil(ms / SECOND_MS))

export interface Options {
  readonly heldMax?: number | undefined
  /** The number of clients, which share the memory for requests. Default: one. */
  readonly clients?: number | undefined
  /** Where the key for marks of requests is stored. Default: nowhere. */
  readonly directory?: string | undefined
  /** The number of programs above this one that take agent requests. */
  readonly depth?: number | undefined
}

/** As the rules of clients let this caller use it. A runtime for one caller alone is as it is. */
const seenBy = (runtime: McpRuntimeShape | WholeRuntime, caller: Caller): McpRuntimeShape =>
  caller.identity !== undefined && "as" in runtime ? runtime.as(() => caller) : runtime

export const make = Effect.fnUntraced(function* (
  config: OrderConfig,
  { clients = 1, depth = 0, directory, heldMax = ORDERS_HELD_MAX_BYTES }: Options = {}
) {
  const gateway = yield* AgentGateway
  const sanitizer = yield* ContentSanitizer
  const store = yield* ResultStore
  const redactor = yield* Redactor
  const own = yield* McpRuntime
  const key = yield* chainKey(directory)
  const mark = (message: string) => markOf(key, message)
  const underway = directory === undefined ? NONE_UNDERWAY : makeUnderway(directory, mark)
  const turns = makeTurns(config, heldMax, clients)
  const quota = makeQuota(config.perMinute)
  const running = new Map<string, Running>()

  // ---- the answer -----------------------------------------------------------------------------------------------------

  /** A medium that was too large for its result is in the result store, if there was room. */
  const addOriginal = Effect.fnUntraced(function* (answer: Answer, { data, handle, mimeType, type, uri }: Original) {
    if (type === "resource_link") return
    const kept = data ?? (handle === undefined ? undefined : (yield* store.readAny(handle))?.text)
    if (kept === undefined) return answer.missing(uri ?? mimeType ?? type, "it is no longer kept")
    answer.media({ mediaType: mimeType, data: kept, name: uri })
  })

  /**
   * The text of a tool is for the agent, which says what matters; media are for the client, because the agent cannot repeat them.
   */
  const addResult = Effect.fnUntraced(function* (answer: Answer, { content, details }: ToolResult) {
    for (const block of content) {
      if (block.type === "image") answer.media({ mediaType: block.mimeType, data: block.data, name: undefined })
    }
    const originals = "originals" in details ? (details.originals ?? []) : []
    yield* Effect.forEach(originals, (original) => addOriginal(answer, original), { discard: true })
  })

  const add = (answer: Answer, event: AgentEvent): Effect.Effect<void> => {
    switch (event._tag) {
      case "Text":
        return Effect.sync(() => answer.text(event.delta))
      case "Media":
        return Effect.sync(() => answer.media(event))
      case "ToolCall":
        return Effect.sync(answer.close)
      case "ToolResult":
        return addResult(answer, event.result)
      case "Notice":
        // A momentary notice is only reported as progress: an error repeats it, and an answer does not need it.
        if (event.passing === true) return Effect.void
        return Effect.sync(() => {
          answer.close()
          answer.text(event.text)
          answer.close()
        })
      default:
        return Effect.void
    }
  }

  // ---- one request ----------------------------------------------------------------------------------------------------

  /** Some work is silent for minutes, and clients give up on silent requests. */
  const alive = (now: Running, touch: () => void, tell: (words: string) => void): Effect.Effect<never> =>
    Effect.suspend(() => {
      let before = now.doing
      const round = Effect.map(Clock.currentTimeMillis, (at) => {
        const isSame = now.doing === before
        before = now.doing
        touch()
        if (isSame) tell(`${before.words} (${seconds(at - now.since)} s)`)
      })
      return again("signs of life of an agent request", ORDER_ALIVE_MS, round)
    })

  const answerOf = Effect.fnUntraced(function* (
    order: OrderInput,
    { identity, principal }: OrderClient,
    key: string,
    sessionKey: string,
    above: Above,
    { as, onBegun, onEvent, tell = () => {}, ...options }: PlaceOptions
  ) {
    // A single client has no limits apart from the agent's.
    const caller = callerWith(clients === 1 ? undefined : principal, identity)
    const meta = chainMeta(above.chain, mark(order.message))
    // Calls carry the mark of this request. Of several clients, each has its own limits, and none restarts what others use.
    const seen = seenBy(as ?? own, caller)
    const marked: McpRuntimeShape =
      clients === 1
        ? {
            ...seen,
            call: (name, args, more) =>
              seen.call(name, args, { ...more, meta, ...(identity === undefined ? {} : { caller }) })
          }
        : {
            ...seen,
            call: (name, args, more) => seen.call(name, args, { ...more, meta, caller }),
            readResource: (uri, server) => seen.readResource(uri, server, { caller }),
            getPrompt: (name, args) => seen.getPrompt(name, args, { caller }),
            reset: () => Effect.succeed(false)
          }
    // Calls of our own agent carry the mark. A gateway's agent does not pass it on, so the request is recorded in a file.
    const kept = yield* Effect.acquireRelease(
      Effect.sync(() =>
        gateway.elsewhere === true
          ? underway.begin({ chain: readChain(meta), depth: above.depth + 1 })
          : NONE_UNDERWAY.begin(above)
      ),
      ({ end: over }) => Effect.sync(over)
    )
    const now: Running = { since: yield* Clock.currentTimeMillis, doing: WORKING }
    const answer = makeAnswer({ mask: redactor.redact })
    const doing = makeDoing(sanitizer.label)
    let end: OrderEnd = "other"
    running.set(key, now)

    const take = (event: AgentEvent) => {
      onEvent?.(event)
      kept.onEvent(event)
      if (event._tag === "Done") end = event.reason
      const next = doing(event)
      if (next !== undefined) tell((now.doing = next).words)
      return add(answer, event)
    }

    const failed = ({ message }: GatewayError) =>
      new OrderFailed({ detail: sanitizer.label(message, ERROR_TEXT_MAX_CHARS), sessionKey, parts: answer.end("stop") })

    onBegun?.(key)
    tell(now.doing.words)
    yield* Effect.forkScoped(alive(now, kept.touch, tell))
    yield* gateway
      .send(key, messageOf(order), { ...options, as: marked, forModel: true, personId: loggedInId(caller) })
      .pipe(Stream.runForEach(take), Effect.mapError(failed))
    return { sessionKey, parts: answer.end(end), end }
  }, Effect.scoped)

  /** Determined by what the request says, by where this process is, and by what is under way. */
  const aboveOf = Effect.fnUntraced(function* (message: string, { fromGateway = false, meta }: PlaceOptions) {
    const chain = readChain(meta)
    const told: Above = { chain, depth: Math.max(chain.length, depth) }
    const found = yield* underway.above(mark(message), fromGateway)
    return found === undefined ? told : deeper(found, told)
  })

  const place = Effect.fn("Orders.place")(function* (
    order: OrderInput,
    client: OrderClient,
    options: PlaceOptions = {}
  ) {
    const at = yield* Clock.currentTimeMillis
    const wait = quota.take(client.principal, at)
    if (wait !== undefined) {
      const detail = `too many requests: a client may send ${config.perMinute} per minute; the next one is possible in ${seconds(wait)} s`
      return yield* new OrderRefused({ detail })
    }
    // Takes a while and reads many files, so it comes after the quota check.
    const above = yield* aboveOf(order.message, options)
    const problem = chainProblem(above.chain, mark(order.message), above.depth)
    if (problem !== undefined) return yield* new OrderRefused({ detail: problem })
    const sessionKey = order.sessionKey ?? freshSessionKey(at)
    const session = orderKey(client, sessionKey)
    const waits = (before: number) => {
      options.onQueued?.(before)
      options.tell?.(
        before === 0 ? "Waiting for its turn" : `Waiting for its turn: ${before} more requests are waiting`
      )
    }
    return yield* turns.within(
      { client: client.principal, session, held: heldBytes(order) },
      waits,
      Effect.ensuring(
        answerOf(order, client, session, sessionKey, above, options),
        Effect.sync(() => running.delete(session))
      )
    )
  })

  const status = Effect.fn("Orders.status")(function* (sessionKey: string, client: OrderClient) {
    const key = orderKey(client, sessionKey)
    const conversation = yield* gateway.glance(key)
    const at = yield* Clock.currentTimeMillis
    const now = running.get(key)
    const waiting = turns.waitingIn(key)
    const known = conversation === undefined ? {} : { updatedAt: new Date(conversation.updatedAt).toISOString() }
    return {
      sessionKey,
      ...(now !== undefined
        ? { state: "running" as const, doing: now.doing.plain, runningForMs: at - now.since }
        : { state: waiting > 0 ? "waiting" : conversation === undefined ? "unknown" : "idle" }),
      waiting,
      turns: conversation?.turns ?? 0,
      ...known
    } satisfies OrderStatus as OrderStatus
  })

  const history = Effect.fn("Orders.history")(function* (sessionKey: string, client: OrderClient, max: number) {
    const conversation = yield* gateway.load(orderKey(client, sessionKey))
    return yield* inTurns(historyOf(sessionKey, conversation, max, redactor.redactInTurns))
  })

  return Orders.of({ place, status, history })
})

type Needs = AgentGateway | McpRuntime | ContentSanitizer | Redactor | ResultStore | ConfigSource

export const layer = (options: Options): Layer.Layer<Orders, ConfigError, Needs> =>
  Layer.effect(
    Orders,
    Effect.gen(function* () {
      const { order = DEFAULT_ORDER } = yield* (yield* ConfigSource).load
      return yield* make(order, options)
    })
  )

/** With its own limits, whatever is configured. */
export const layerWith = (
  config: Partial<OrderConfig>,
  options?: Options
): Layer.Layer<Orders, never, Exclude<Needs, ConfigSource>> =>
  Layer.effect(Orders, make({ ...DEFAULT_ORDER, ...config }, options))
