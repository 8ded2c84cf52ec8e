/**
 * Clients without sessions (2026-07-28): each request stands for itself, so what is made for a client is made for the holder
 * of a token, at its first request, and kept.
 */
import type { McpHttpHandler } from "@modelcontextprotocol/server"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import * as FiberSet from "effect/FiberSet"
import * as Scope from "effect/Scope"
import * as Stream from "effect/Stream"
import { RequestRefused } from "../../schemas/ListenerError.ts"
import type { Label } from "../../schemas/ServerText.ts"
import type { McpOffer, Serve } from "../../services/McpListener.ts"
import type { Run } from "./Call.ts"
import { Calls } from "./Calls.ts"
import { makeGuest, nameIn } from "./guest.ts"
import { made } from "./made.ts"
import { makeRefusing, makeServer, type Desk, type Sdk } from "./mcpServer.ts"
import { Subscriptions } from "./Subscriptions.ts"
import type { Who } from "./tokens.ts"

export interface PrincipalsOptions {
  readonly sdk: Sdk
  readonly serve: Serve
  readonly label: Label
  readonly read: Desk["read"]
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

export class Principals {
  readonly #options: PrincipalsOptions
  readonly #handlers = new Map<string, Promise<McpHttpHandler>>()

  constructor(options: PrincipalsOptions) {
    this.#options = options
  }

  async answer(who: Who, request: Request, body: unknown): Promise<Response> {
    const handler = this.#handlers.get(who.principal) ?? this.#open(who, body)
    return (await handler).fetch(request, body === undefined ? {} : { parsedBody: body })
  }

  #open(who: Who, body: unknown): Promise<McpHttpHandler> {
    const handler = this.#make(who, body)
    this.#handlers.set(who.principal, handler)
    return handler
  }

  async #make(who: Who, body: unknown): Promise<McpHttpHandler> {
    const { label, read, scope: outer, sdk, serve, subscriptionsMax } = this.#options
    const scope = Scope.forkUnsafe(outer)
    // Ends after everything that uses it.
    const resources = Scope.forkUnsafe(scope)
    const run = await Effect.runPromise(Scope.provide(FiberSet.makeRuntime(), scope))
    const guest = makeGuest({ ...who, name: nameIn(body) }, label, run)
    const offer = await made(run, Scope.provide(serve(guest.client), resources))
    const limits = { legacy: "reject", maxSubscriptions: subscriptionsMax } as const
    if (offer instanceof RequestRefused) {
      // Another time it may be served.
      this.#handlers.delete(who.principal)
      this.#options.run(Scope.close(scope, Exit.void))
      return sdk.createMcpHandler(() => makeRefusing(sdk, offer), limits)
    }
    const desk: Desk = { sdk, era: "modern", offer, calls: new Calls(run), subscriptions: new Subscriptions(), read }
    const handler = sdk.createMcpHandler(() => makeServer(desk), limits)
    await Effect.runPromise(
      Scope.addFinalizer(
        scope,
        Effect.promise(() => handler.close())
      )
    )
    run(news(offer, handler))
    return handler
  }
}
