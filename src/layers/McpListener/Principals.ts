/**
 * Clients without sessions (2026-07-28): each request stands for itself, so what is made for a client is made for the holder
 * of a token, at its first request, and kept until nobody has used it for long: no request, no stream, no task.
 */
import type { McpHttpHandler } from "@modelcontextprotocol/server"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import type * as Fiber from "effect/Fiber"
import * as Scope from "effect/Scope"
import * as Stream from "effect/Stream"
import { LISTENER_SESSION_IDLE_MS } from "../../schemas/Defaults.ts"
import { isObject } from "../../schemas/Json.ts"
import { RequestRefused } from "../../schemas/ListenerError.ts"
import type { Label } from "../../schemas/ServerText.ts"
import type { McpOffer, Serve } from "../../services/McpListener.ts"
import type { Run } from "./Call.ts"
import { Calls } from "./Calls.ts"
import { makeGuest, nameIn } from "./guest.ts"
import type { Holder } from "./Holder.ts"
import { made, runnerIn } from "./made.ts"
import { answers, makeRefusing, makeServer, tasksOf, type Desk, type Sdk } from "./mcpServer.ts"
import { Subscriptions } from "./Subscriptions.ts"
import type { Who } from "./tokens.ts"

export interface PrincipalsOptions {
  readonly sdk: Sdk
  readonly serve: Serve
  readonly label: Label
  readonly read: Desk["read"]
  readonly holderOf: (who: Who) => Holder
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
  readonly offer: McpOffer | undefined
  /** Whether nothing of it is left that its client could come back to. */
  readonly isOver: () => boolean
  readonly end: () => void
}

/** What a holder of a token has here. */
interface Held {
  readonly opened: Promise<Opened>
  requests: number
  idle: Fiber.Fiber<unknown, unknown> | undefined
}

/** Methods of the protocol itself. */
const OWN: ReadonlySet<string> = new Set(["server/discover", "subscriptions/listen"])

/** A request for something that there is not, as the revision has it: the status says so too. The SDK only says it of its own. */
const isForNobody = (body: unknown, offer: McpOffer | undefined): boolean => {
  if (offer === undefined || !isObject(body) || body["id"] === undefined) return false
  const { method } = body
  return typeof method === "string" && !OWN.has(method) && !answers(offer, method)
}

const NOT_FOUND = 404

export class Principals {
  readonly #options: PrincipalsOptions
  readonly #held = new Map<string, Held>()

  constructor(options: PrincipalsOptions) {
    this.#options = options
  }

  /** `done` is called when the client has its answer, or has left. */
  async answer(who: Who, request: Request, body: unknown, done: Promise<void>): Promise<Response> {
    const held = this.#held.get(who.principal) ?? this.#hold(who, body)
    held.requests++
    held.idle?.interruptUnsafe()
    held.idle = undefined
    void done.then(() => this.#leave(who, held))
    const { handler, offer } = await held.opened
    const answer = await handler.fetch(request, body === undefined ? {} : { parsedBody: body })
    return answer.ok && isForNobody(body, offer)
      ? new Response(answer.body, { headers: answer.headers, status: NOT_FOUND })
      : answer
  }

  #hold(who: Who, body: unknown): Held {
    const held: Held = { opened: this.#make(who, body), requests: 0, idle: undefined }
    this.#held.set(who.principal, held)
    return held
  }

  #leave(who: Who, held: Held): void {
    held.requests--
    this.#endLater(who, held)
  }

  #endLater(who: Who, held: Held): void {
    if (held.requests > 0 || this.#held.get(who.principal) !== held) return
    const over = Effect.andThen(
      Effect.sleep(LISTENER_SESSION_IDLE_MS),
      Effect.promise(async () => {
        const { end, isOver } = await held.opened
        if (held.requests > 0 || this.#held.get(who.principal) !== held) return
        // A task may be come back for, and a call that asks something: both end by themselves.
        if (!isOver()) return this.#endLater(who, held)
        this.#held.delete(who.principal)
        end()
      })
    )
    held.idle = this.#options.run(over)
  }

  async #make(who: Who, body: unknown): Promise<Opened> {
    const { label, read, scope: outer, sdk, serve, subscriptionsMax } = this.#options
    const scope = Scope.forkUnsafe(outer)
    // Ends after everything that uses it.
    const resources = Scope.forkUnsafe(scope)
    const run = await runnerIn(this.#options.run, scope)
    const guest = makeGuest({ ...who, name: nameIn(body) }, label, run)
    const offer = await made(run, Scope.provide(serve(guest.client), resources))
    const limits = { legacy: "reject", maxSubscriptions: subscriptionsMax } as const
    if (offer instanceof RequestRefused) {
      // Another time it may be served.
      this.#held.delete(who.principal)
      this.#options.run(Scope.close(scope, Exit.void))
      const handler = sdk.createMcpHandler(() => makeRefusing(sdk, offer), limits)
      return { handler, offer: undefined, isOver: () => true, end: () => {} }
    }
    const tasks = tasksOf(offer, run, this.#options.holderOf(who), () => {})
    const subscriptions = new Subscriptions()
    const calls = new Calls(run)
    const desk: Desk = { sdk, era: "modern", offer, calls, tasks, subscriptions, read }
    const handler = sdk.createMcpHandler(() => makeServer(desk), limits)
    await Effect.runPromise(
      Scope.addFinalizer(
        scope,
        Effect.promise(() => handler.close())
      )
    )
    run(news(offer, handler))
    return {
      handler,
      offer,
      isOver: () => calls.isIdle && tasks?.isEmpty !== false,
      end: () => void this.#options.run(Scope.close(scope, Exit.void))
    }
  }
}
