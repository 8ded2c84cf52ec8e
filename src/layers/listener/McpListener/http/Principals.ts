/**
 * Clients without sessions: those of 2026-07-28, and the others of a listener that has no sessions. Each request stands for itself, so
 * what is made for a client is made for the holder of a token at an address, at its first request there. It is kept until nobody has
 * used it for long (no request, no stream, no task), and for so many addresses.
 */
import * as Deferred from "effect/Deferred"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import * as Fiber from "effect/Fiber"
import * as FiberSet from "effect/FiberSet"
import * as PubSub from "effect/PubSub"
import * as Scope from "effect/Scope"
import { LISTENER_ADDRESSES_EACH_MAX, LISTENER_SESSION_IDLE_MS } from "../../../../schemas/defaults/Listener.ts"
import type { RequestRefused } from "../../../../schemas/listener/ListenerError.ts"
import type { OfferChange } from "../../../../services/listener/McpListener.ts"
import type { Run } from "../requests/running.ts"
import { Calls } from "../requests/Calls.ts"
import { answers, tasksOf, type Era } from "../requests/capabilities.ts"
import { makeGuest, nameIn, offered } from "../requests/guest.ts"
import {
  bindModern,
  MODERN,
  type InboundModernRoute,
  type JSONRPCMessage,
  type JSONRPCRequest
} from "../requests/sdk.ts"
import { makeServer } from "../requests/mcpServer.ts"
import { NOT_NOW } from "../requests/refusals.ts"
import { cancelledIn, idOf } from "../requests/shapes.ts"
import { Wishes } from "../requests/Wishes.ts"
import { following } from "../../../../system/rounds.ts"
import { keyOf, notServed, renew, type Caller } from "./addresses.ts"
import type { Exchange } from "./Exchange.ts"
import { emptyAnswer, errorAnswer, type Answer, type Said } from "./httpMessages.ts"
import { messageFault, revisionFault } from "./legacyFaults.ts"
import type { Common } from "./sessionServer.ts"
import { headerFault } from "./standardHeaders.ts"
import { StatelessRequests } from "./StatelessRequests.ts"
import { NewsStreams } from "./subscriptions.ts"
import { Use } from "./Use.ts"

interface Opened {
  readonly run: Run
  readonly requests: StatelessRequests
  readonly news: NewsStreams
}

interface Kept {
  readonly who: Caller
  readonly era: Era
  readonly use: Use
  readonly opened: Deferred.Deferred<Opened, RequestRefused>
  /** Whether a handler works for it, also while nobody waits for the answer. */
  works: () => boolean
  readonly end: () => void
}

/** Methods of the protocol itself. */
const OWN: ReadonlySet<string> = new Set(["server/discover", "subscriptions/listen"])

const unsupported = (requested: string | undefined, id: unknown): Answer =>
  errorAnswer(
    400,
    UNSUPPORTED_REVISION,
    `Unsupported protocol version: ${requested ?? "unknown"}`,
    id,
    {},
    {
      supported: [MODERN],
      requested: requested ?? "unknown"
    }
  )

const UNSUPPORTED_REVISION = -32_022

const keptAs = (who: Caller, era: Era): string => `${era} ${who.agent ?? ""} ${keyOf(who)}`

export class Principals {
  readonly #options: Common
  /** The longest unused first. */
  readonly #all = new Map<string, Kept>()

  constructor(options: Common) {
    this.#options = options
  }

  /** Gives an answer in one piece, or answers by itself. */
  answer(exchange: Exchange, route: InboundModernRoute): Said {
    const { revision } = route.classification
    const message = route.message as JSONRPCRequest
    const isRequest = route.messageKind === "request"
    if (revision !== MODERN) return unsupported(revision, isRequest ? message.id : null)
    const fault = isRequest ? headerFault(exchange, message, revision) : undefined
    return fault ?? this.#take(exchange, "modern", message)
  }

  /** The same for a client of an earlier revision. */
  answerLegacy(exchange: Exchange, body: unknown): Said {
    const { sdk } = this.#options
    const fault = messageFault(sdk, exchange, [body]) ?? revisionFault(sdk, exchange)
    return fault ?? this.#take(exchange, "legacy", body as JSONRPCMessage)
  }

  /** Whether something is done for any client. */
  get isBusy(): boolean {
    return [...this.#all.values()].some(({ works }) => works())
  }

  get kept(): Iterable<{ readonly who: Caller; readonly end: () => void }> {
    return this.#all.values()
  }

  #take(exchange: Exchange, era: Era, message: JSONRPCMessage): Said {
    const kept = this.#find(exchange.who, era) ?? this.#open(exchange.who, era, message)
    const id = idOf(message)
    if (kept === undefined) {
      return errorAnswer(503, NOT_NOW, "Too many addresses are in use", id, { "retry-after": "1" })
    }
    kept.use.enter()
    exchange.whenClosed(() => kept.use.leave())
    return Deferred.await(kept.opened).pipe(
      Effect.flatMap((opened) => {
        if ("method" in message && "id" in message) return this.#ask(kept.era, opened, exchange, message)
        const cancelled = era === "legacy" ? cancelledIn(message) : undefined
        if (cancelled !== undefined) opened.requests.cancel(cancelled)
        return Effect.succeed(emptyAnswer(202))
      }),
      Effect.catch((refused) => Effect.succeed(notServed(refused, exchange.who, id)))
    )
  }

  #ask(
    era: Era,
    { news, requests, run }: Opened,
    exchange: Exchange,
    message: JSONRPCRequest
  ): Effect.Effect<Answer | undefined> {
    if (era === "legacy" || message.method !== "subscriptions/listen") {
      return Effect.as(
        Effect.sync(() => requests.ask(exchange, message)),
        undefined
      )
    }
    // It ends with its client, and with what was made for that.
    const listening = Fiber.runIn(run(news.listen(exchange, message)), exchange.scope)
    return Effect.catchCause(Fiber.join(listening), () => Effect.succeed(undefined))
  }

  #find(who: Caller, era: Era): Kept | undefined {
    const key = keptAs(who, era)
    const kept = this.#all.get(key)
    if (kept === undefined) return undefined
    this.#all.delete(key)
    this.#all.set(key, kept)
    renew(kept.who, who)
    return kept
  }

  #open(who: Caller, era: Era, body: unknown): Kept | undefined {
    if (!this.#makeRoom(who)) return undefined
    const { clock, run, scope: around } = this.#options
    const scope = Scope.forkUnsafe(around)
    const key = keptAs(who, era)
    const opened = Deferred.makeUnsafe<Opened, RequestRefused>()
    const kept: Kept = {
      who,
      era,
      use: new Use(clock),
      opened,
      works: () => false,
      end: () => {
        if (this.#all.get(key) === kept) this.#all.delete(key)
        run(Scope.close(scope, Exit.void))
      }
    }
    this.#all.set(key, kept)
    run(
      Scope.provide(this.#make(kept, body), scope).pipe(
        // Another time it may be served.
        Effect.onError(() => Effect.sync(kept.end)),
        Effect.onExit((exit) => Effect.sync(() => Deferred.doneUnsafe(opened, exit)))
      )
    )
    return kept
  }

  /** What is used by nobody makes room, but not for another holder. */
  #makeRoom({ principal }: Caller): boolean {
    const own = [...this.#all.values()].filter(({ who }) => who.principal === principal)
    if (own.length < LISTENER_ADDRESSES_EACH_MAX) return true
    const unused = own.find(({ use }) => !use.isUsed)
    unused?.end()
    return unused !== undefined
  }

  #make(kept: Kept, body: unknown): Effect.Effect<Opened, RequestRefused, Scope.Scope> {
    const { end, era, use, who } = kept
    const { directory, label, open, quotaOf, sdk, serve, telemetry } = this.#options
    const fleet = directory === undefined ? undefined : { directory, owner: keyOf(who) }
    return Effect.gen(function* () {
      // Ends after everything that uses it.
      const resources = yield* Scope.fork(yield* Effect.scope)
      const run = yield* FiberSet.makeRuntime()
      const guest = yield* makeGuest(who, nameIn(body), label)
      const offer = yield* Scope.provide(offered(serve, guest), resources)
      const tasks = tasksOf(offer, run, quotaOf(who), () => {}, fleet)
      const calls = new Calls(run, quotaOf(who), fleet)
      const observed = { telemetry, transport: "http" as const }
      const server = makeServer({ sdk, era, offer, calls, tasks, wishes: new Wishes(), run, observed })
      const requests = new StatelessRequests(era, open, (method) => OWN.has(method) || answers(offer, method))
      yield* Effect.promise(() => server.connect(era === "modern" ? bindModern(sdk, requests) : requests))
      yield* Effect.addFinalizer(() => Effect.promise(() => server.close().catch(() => {})))
      const changes = yield* PubSub.unbounded<OfferChange>()
      run(following("the news for a client", offer.changes, (change) => PubSub.publish(changes, change)))
      kept.works = () => !calls.isIdle
      const isBusy = () => !calls.isIdle || tasks?.isEmpty === false
      // A client may come back for a task, and for a call that asks something: both end by themselves.
      run(Effect.andThen(use.unused(offer.idleMs ?? LISTENER_SESSION_IDLE_MS, isBusy), Effect.sync(end)))
      return { run, requests, news: new NewsStreams({ sdk, offer, changes, streams: open }) }
    })
  }
}
