/**
 * The client at stdin and stdout. Which revision it speaks its first message says; what it is offered is made once, for
 * whichever it is.
 */
import type { Server } from "@modelcontextprotocol/server"
import * as Deferred from "effect/Deferred"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import * as Fiber from "effect/Fiber"
import * as FiberSet from "effect/FiberSet"
import * as Scope from "effect/Scope"
import * as Stream from "effect/Stream"
import { randomBytes } from "node:crypto"
import { LISTENER_LEAVE_MS, LISTENER_SUBSCRIPTIONS_MAX } from "../../../../schemas/defaults/Listener.ts"
import type { Intake } from "../../../../schemas/connection/JsonMessage.ts"
import { RequestRefused } from "../../../../schemas/listener/ListenerError.ts"
import type { Label } from "../../../../schemas/content/ServerText.ts"
import { EventLoop } from "../../../../system/EventLoop.ts"
import { takeStdout } from "../../../../system/stdout.ts"
import type { McpOffer, Serve } from "../../../../services/listener/McpListener.ts"
import { Calls } from "../requests/Calls.ts"
import { makeGuest, nameIn, type Guest } from "../requests/guest.ts"
import { ClientQuota } from "../requests/ClientQuota.ts"
import { CALLS } from "../requests/intake.ts"
import { isMessage, makeRefusing, makeServer, tasksOf, tellOfTask, type Era } from "../requests/mcpServer.ts"
import { made, type Made } from "../requests/made.ts"
import { makeStdioTransport } from "./stdioTransport.ts"
import { Subscriptions } from "../requests/Subscriptions.ts"
import type { Tasks } from "../requests/Tasks.ts"
import { tell } from "../requests/tell.ts"

interface Open {
  readonly guest: Guest
  readonly made: Made
}

export const serveStdio = Effect.fnUntraced(function* (
  serve: Serve,
  label: Label,
  intake: Intake = CALLS
): Effect.fn.Return<void> {
  // First of all: what is loaded next may print.
  const output = takeStdout()
  const [sdk, entry] = yield* Effect.promise(() =>
    Promise.all([import("@modelcontextprotocol/server"), import("@modelcontextprotocol/server/stdio")])
  )
  const scope = yield* Scope.make()
  // Ends after everything that uses it.
  const resources = yield* Scope.fork(scope)
  const run = yield* Scope.provide(FiberSet.makeRuntime(), scope)
  const left = yield* Deferred.make<void>()
  const holder = new ClientQuota(undefined, (yield* EventLoop).large)
  const calls = new Calls(run, holder)
  const subscriptions = new Subscriptions()
  let isOpening = false
  let name: string | undefined
  let opened: Promise<Open> | undefined
  let tasks: Tasks | undefined
  /** The one that the client speaks to now: it may have asked which revisions there are before. */
  let current: { readonly server: Server; readonly era: Era } | undefined

  const news = (offer: McpOffer) =>
    Stream.runForEach(offer.changes, (change) =>
      Effect.promise(async () => {
        if (current === undefined) return
        const { era, server } = current
        if (era === "legacy" && change.kind === "resource" && !subscriptions.has(change.uri)) return
        await tell(server, change).catch(() => {})
        // To who listens, the SDK has said it without waiting.
        await transport.read()
      })
    )

  const open = async (): Promise<Open> => {
    const who = { principal: `stdio-${randomBytes(8).toString("hex")}`, agent: undefined, only: undefined, name }
    const guest = makeGuest(who, label, run)
    const offered = await made(run, Scope.provide(serve(guest.client), resources))
    if (!(offered instanceof RequestRefused)) run(news(offered))
    return { guest, made: offered }
  }

  const factory = async ({ era }: { readonly era: Era }) => {
    isOpening = true
    const { guest, made } = await (opened ??= open()).finally(() => {
      isOpening = false
      setImmediate(transport.wake)
    })
    if (made instanceof RequestRefused) return makeRefusing(sdk, made)
    tasks ??= tasksOf(made, run, holder, (task) => {
      if (current?.era === "legacy") tellOfTask(current.server, task)
    })
    const server = makeServer({ sdk, era, offer: made, calls, tasks, subscriptions, read: async () => {} })
    const { look } = guest.follow(server)
    server.oninitialized = look
    current = { server, era }
    return server
  }

  const transport = makeStdioTransport({
    input: process.stdin,
    output,
    makeReader: intake.makeReader,
    receivingMaxBytes: intake.receivingMaxBytes,
    isBusy: () => isOpening,
    isMessage: (message) => isMessage(sdk, message),
    onArrival: (message) => {
      if (opened === undefined) name = nameIn(message) ?? name
    }
  })
  const { close } = entry.serveStdio(factory, {
    transport,
    maxSubscriptions: LISTENER_SUBSCRIPTIONS_MAX,
    onerror: () => {}
  })
  const onClose = transport.onclose
  transport.onclose = () => {
    onClose?.()
    Deferred.doneUnsafe(left, Effect.void)
  }

  yield* Deferred.await(left).pipe(
    Effect.ensuring(
      Effect.gen(function* () {
        yield* Effect.promise(close)
        // What does not end in time ends with the program.
        const leaving = yield* Effect.forkDetach(Scope.close(scope, Exit.void))
        yield* Effect.timeoutOption(Fiber.join(leaving), LISTENER_LEAVE_MS)
      })
    )
  )
})
