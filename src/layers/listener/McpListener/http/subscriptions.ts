/** Streams of news for clients without sessions (2026-07-28, `subscriptions/listen`). */
import * as Effect from "effect/Effect"
import * as PubSub from "effect/PubSub"
import { LISTENER_SUBSCRIPTIONS_MAX } from "../../../../schemas/defaults/Listener.ts"
import { VERSION } from "../../../../schemas/data/Version.ts"
import type { McpOffer, OfferChange } from "../../../../services/listener/McpListener.ts"
import { capabilitiesOf } from "../requests/capabilities.ts"
import type { JSONRPCRequest, Sdk } from "../requests/sdk.ts"
import { INTERNAL_ERROR, INVALID_PARAMS } from "../requests/refusals.ts"
import type { Exchange } from "./Exchange.ts"
import { errorAnswer, type Answer } from "./httpMessages.ts"
import type { EventStream, EventStreams } from "./responses.ts"

const NO_FILTER = "Invalid params: 'notifications' is required and must be a valid SubscriptionFilter"

interface Filter {
  readonly toolsListChanged?: boolean
  readonly resourcesListChanged?: boolean
  readonly promptsListChanged?: boolean
  readonly resourceSubscriptions?: ReadonlyArray<string>
}

/** What is asked for and offered. */
const honored = (asked: Filter, offer: McpOffer): Filter => {
  const { prompts, resources, tools } = capabilitiesOf(offer, "modern")
  const { resourceSubscriptions = [] } = asked
  return {
    ...(asked.toolsListChanged === true && tools !== undefined ? { toolsListChanged: true } : {}),
    ...(asked.promptsListChanged === true && prompts !== undefined ? { promptsListChanged: true } : {}),
    ...(asked.resourcesListChanged === true && resources !== undefined ? { resourcesListChanged: true } : {}),
    ...(resourceSubscriptions.length > 0 && resources !== undefined ? { resourceSubscriptions } : {})
  }
}

/** Gives the method of the notification, if this is asked for. */
const methodOf = (change: OfferChange, filter: Filter): string | undefined => {
  switch (change.kind) {
    case "tools":
      return filter.toolsListChanged === true ? "notifications/tools/list_changed" : undefined
    case "prompts":
      return filter.promptsListChanged === true ? "notifications/prompts/list_changed" : undefined
    case "resources":
      return filter.resourcesListChanged === true ? "notifications/resources/list_changed" : undefined
    case "resource":
      return filter.resourceSubscriptions?.includes(change.uri) === true ? "notifications/resources/updated" : undefined
  }
}

interface Options {
  readonly sdk: Sdk
  readonly offer: McpOffer
  readonly changes: PubSub.PubSub<OfferChange>
  readonly streams: EventStreams
}

export class NewsStreams {
  readonly #options: Options
  #open = 0

  constructor(options: Options) {
    this.#options = options
  }

  /** Says what changes, until the client leaves or the Scope of its principal closes. */
  listen(exchange: Exchange, { id, params }: JSONRPCRequest): Effect.Effect<Answer | undefined> {
    const { offer, sdk, streams } = this.#options
    if (this.#open >= LISTENER_SUBSCRIPTIONS_MAX) {
      return Effect.succeed(errorAnswer(200, INTERNAL_ERROR, "Subscription limit reached", id))
    }
    const asked: unknown = params?.["notifications"]
    if (!sdk.isSpecType.SubscriptionFilter(asked)) {
      return Effect.succeed(errorAnswer(200, INVALID_PARAMS, NO_FILTER, id))
    }
    const filter = honored(asked as Filter, offer)
    const stream = streams.open(exchange, "news")
    const about = { [sdk.SUBSCRIPTION_ID_META_KEY]: id }
    const notify = (method: string, params: object) =>
      stream.message({ jsonrpc: "2.0", method, params: { ...params, _meta: about } })
    const begin = () => notify("notifications/subscriptions/acknowledged", { notifications: filter })
    const end = Effect.sync(() => this.#end(stream, id, about))
    if (Object.keys(filter).length === 0) return Effect.andThen(Effect.sync(begin), Effect.as(end, undefined))
    return this.#follow((change) => {
      const method = methodOf(change, filter)
      if (method !== undefined) notify(method, change.kind === "resource" ? { uri: change.uri } : {})
    }, begin).pipe(Effect.onInterrupt(() => end))
  }

  #follow(tell: (change: OfferChange) => void, begin: () => void): Effect.Effect<undefined> {
    return Effect.gen({ self: this }, function* () {
      const news = yield* PubSub.subscribe(this.#options.changes)
      yield* Effect.acquireRelease(
        Effect.sync(() => this.#open++),
        () => Effect.sync(() => this.#open--)
      )
      begin()
      return yield* Effect.forever(Effect.map(PubSub.take(news), tell))
    }).pipe(Effect.scoped)
  }

  #end(stream: EventStream, id: JSONRPCRequest["id"], about: object): void {
    const { offer, sdk } = this.#options
    const who = { name: offer.name, title: offer.title, version: VERSION }
    const result = { resultType: "complete", _meta: { ...about, [sdk.SERVER_INFO_META_KEY]: who } }
    stream.last({ jsonrpc: "2.0", id, result })
  }
}
