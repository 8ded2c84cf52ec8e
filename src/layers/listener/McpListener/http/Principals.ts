/**
 * Clients without sessions (2026-07-28): each request stands for itself, so what is made for a client is made for the holder
 * of a token at an address, at its first request there, and kept until nobody has used it for long (no request, no stream, no
 * task) and for so many addresses.
 */
import type { McpHttpHandler } from "@modelcontextprotocol/server"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import type * as Fiber from "effect/Fiber"
import * as Scope from "effect/Scope"
import * as Stream from "effect/Stream"
import { LISTENER_ADDRESSES_EACH_MAX, LISTENER_SESSION_IDLE_MS } from "../../../../schemas/defaults/Listener.ts"
import { isObject } from "../../../../schemas/data/Json.ts"
import { RequestRefused } from "../../../../schemas/listener/ListenerError.ts"
import type { Label } from "../../../../schemas/content/ServerText.ts"
import type { McpOffer, Serve } from "../../../../services/listener/McpListener.ts"
import { keyOf, notServed, type Caller } from "./addresses.ts"
import type { Run } from "../requests/Call.ts"
import { Calls } from "../requests/Calls.ts"
import { makeGuest, nameIn } from "../requests/guest.ts"
import type { ClientQuota } from "../requests/ClientQuota.ts"
import { errorResponse } from "./httpMessages.ts"
import { made, runnerIn } from "../requests/made.ts"
import { answers, makeServer, tasksOf, type Desk, type Sdk } from "../requests/mcpServer.ts"
import { NOT_NOW } from "../requests/refusals.ts"
import { idOf } from "../requests/shapes.ts"
import { Subscriptions } from "../requests/Subscriptions.ts"

export interface PrincipalsOptions {
  readonly sdk: Sdk
  readonly serve: Serve
  readonly label: Label
  readonly read: Desk["read"]
  readonly quotaOf: (who: Caller) => ClientQuota
  readonly scope: Scope.Scope
  readonly run: Run
  readonly subscriptionsMax: number
}

const news = ({ changes }: McpOffer, { notify }: McpHttpHandler): Effect.Effect<void> =>
  Stream.runForEach(changes, (change) =>
    Effect.sync(() => {
      switch (change.kind) {
        case "tools":
          return notify.toolsChanged()
        case "resources":
          return notify.resourcesChanged()
        case "prompts":
          return notify.promptsChanged()
        case "resource":
          return notify.resourceUpdated(change.uri)
      }
    })
  )

interface Opened {
  readonly handler: McpHttpHandler
  readonly offer: McpOffer
  /** Whether nothing of it is left that its client could come back to. */
  readonly isOver: () => boolean
  readonly end: () => void
}

interface Kept {
  readonly who: Caller
  readonly opened: Promise<Opened | RequestRefused>
  /** Requests that are not answered. */
  requests: number
  idle: Fiber.Fiber<unknown, unknown> | undefined
}

/** Methods of the protocol itself. */
const OWN: ReadonlySet<string> = new Set(["server/discover", "subscriptions/listen"])

/** A request for something that there is not, as the revision has it: the status says so too. The SDK only says it of its own. */
const isForNobody = (body: unknown, offer: McpOffer): boolean => {
  if (!isObject(body) || body["id"] === undefined) return false
  const { method } = body
  return typeof method === "string" && !OWN.has(method) && !answers(offer, method)
}

const NOT_FOUND = 404

export class Principals {
  readonly #options: PrincipalsOptions
  /** The longest unused first. */
  readonly #all = new Map<string, Kept>()

  constructor(options: PrincipalsOptions) {
    this.#options = options
  }

  /** `done` is called when the client has its answer, or has left. */
  async answer(who: Caller, request: Request, body: unknown, done: Promise<void>): Promise<Response> {
    const kept = this.#find(who) ?? this.#open(who, body)
    if (kept === undefined) {
      return errorResponse(503, NOT_NOW, "Too many addresses are in use", idOf(body), { "retry-after": "1" })
    }
    kept.requests++
    kept.idle?.interruptUnsafe()
    kept.idle = undefined
    void done.then(() => this.#leave(kept))
    const opened = await kept.opened
    if (opened instanceof RequestRefused) return notServed(opened, who, idOf(body))
    const { handler, offer } = opened
    const answer = await handler.fetch(request, body === undefined ? {} : { parsedBody: body })
    return answer.ok && isForNobody(body, offer)
      ? new Response(answer.body, { headers: answer.headers, status: NOT_FOUND })
      : answer
  }

  #find(who: Caller): Kept | undefined {
    const key = keyOf(who)
    const kept = this.#all.get(key)
    if (kept === undefined) return undefined
    this.#all.delete(key)
    this.#all.set(key, kept)
    return kept
  }

  #open(who: Caller, body: unknown): Kept | undefined {
    if (!this.#makeRoom(who)) return undefined
    const kept: Kept = { who, opened: this.#make(who, body), requests: 0, idle: undefined }
    const key = keyOf(who)
    this.#all.set(key, kept)
    // Another time it may be served.
    const forget = () => this.#all.get(key) === kept && this.#all.delete(key)
    void kept.opened.then((opened) => opened instanceof RequestRefused && forget(), forget)
    return kept
  }

  /** What is used by nobody makes room, and no other holder's. */
  #makeRoom({ principal }: Caller): boolean {
    const own = [...this.#all.values()].filter(({ who }) => who.principal === principal)
    if (own.length < LISTENER_ADDRESSES_EACH_MAX) return true
    const unused = own.find(({ requests }) => requests === 0)
    if (unused === undefined) return false
    this.#all.delete(keyOf(unused.who))
    unused.idle?.interruptUnsafe()
    void unused.opened.then((opened) => opened instanceof RequestRefused || opened.end())
    return true
  }

  #leave(kept: Kept): void {
    kept.requests--
    this.#endLater(kept)
  }

  #isUnused(kept: Kept): boolean {
    return kept.requests === 0 && this.#all.get(keyOf(kept.who)) === kept
  }

  #endLater(kept: Kept): void {
    if (!this.#isUnused(kept)) return
    const over = Effect.flatMap(
      Effect.promise(() => kept.opened),
      (opened) =>
        opened instanceof RequestRefused
          ? Effect.void
          : Effect.andThen(
              Effect.sleep(opened.offer.idleMs ?? LISTENER_SESSION_IDLE_MS),
              Effect.sync(() => this.#endUnused(kept, opened))
            )
    )
    kept.idle = this.#options.run(over)
  }

  #endUnused(kept: Kept, opened: Opened): void {
    if (!this.#isUnused(kept)) return
    // A task may be come back for, and a call that asks something: both end by themselves.
    if (!opened.isOver()) return this.#endLater(kept)
    this.#all.delete(keyOf(kept.who))
    opened.end()
  }

  async #make(who: Caller, body: unknown): Promise<Opened | RequestRefused> {
    const { label, read, scope: outer, sdk, serve, subscriptionsMax } = this.#options
    const scope = Scope.forkUnsafe(outer)
    // Ends after everything that uses it.
    const resources = Scope.forkUnsafe(scope)
    const end = () => void this.#options.run(Scope.close(scope, Exit.void))
    const run = await runnerIn(this.#options.run, scope)
    const guest = makeGuest({ ...who, name: nameIn(body) }, label, run)
    const offer = await made(run, Scope.provide(serve(guest.client), resources))
    if (offer instanceof RequestRefused) {
      end()
      return offer
    }
    const tasks = tasksOf(offer, run, this.#options.quotaOf(who), () => {})
    const subscriptions = new Subscriptions()
    const calls = new Calls(run, this.#options.quotaOf(who))
    const desk: Desk = { sdk, era: "modern", offer, calls, tasks, subscriptions, read }
    const limits = { legacy: "reject", maxSubscriptions: subscriptionsMax } as const
    const handler = sdk.createMcpHandler(() => makeServer(desk), limits)
    await Effect.runPromise(
      Scope.addFinalizer(
        scope,
        Effect.promise(() => handler.close())
      )
    )
    run(news(offer, handler))
    return { handler, offer, isOver: () => calls.isIdle && tasks?.isEmpty !== false, end }
  }
}
