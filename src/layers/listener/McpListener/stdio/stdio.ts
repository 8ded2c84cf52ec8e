/**
 * The client at stdin and stdout. Its first message says which revision it speaks; what it is offered is made once, whichever that
 * is.
 */
import * as Deferred from "effect/Deferred"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import * as Fiber from "effect/Fiber"
import * as FiberSet from "effect/FiberSet"
import * as Result from "effect/Result"
import * as Scope from "effect/Scope"
import { randomBytes } from "node:crypto"
import { LISTENER_LEAVE_MS, LISTENER_SUBSCRIPTIONS_MAX } from "../../../../schemas/defaults/Listener.ts"
import type { Intake } from "../../../../schemas/connection/JsonMessage.ts"
import type { Label } from "../../../../schemas/content/ServerText.ts"
import { Telemetry } from "../../../../services/telemetry/Telemetry.ts"
import { EventLoop } from "../../../../system/EventLoop.ts"
import { following } from "../../../../system/rounds.ts"
import { takeStdout } from "../../../../system/stdout.ts"
import type { McpOffer, Serve } from "../../../../services/listener/McpListener.ts"
import { Calls } from "../requests/Calls.ts"
import { tasksOf, type Era } from "../requests/capabilities.ts"
import { ClientQuota } from "../requests/ClientQuota.ts"
import { makeGuest, nameIn, offered } from "../requests/guest.ts"
import { CALLS } from "../requests/intake.ts"
import { isMessage, MODERN, loadSdk, loadStdio, makeRefusing, tell, tellOfTask, type Server } from "../requests/sdk.ts"
import { makeServer } from "../requests/mcpServer.ts"
import { observedSession } from "../requests/observed.ts"
import { Wishes } from "../requests/Wishes.ts"
import type { Tasks } from "../requests/Tasks.ts"
import { makeStdioTransport } from "./stdioTransport.ts"

export const serveStdio = Effect.fnUntraced(function* (
  serve: Serve,
  label: Label,
  intake: Intake = CALLS
): Effect.fn.Return<void> {
  // First of all, because what is loaded next may print.
  const output = takeStdout()
  const [sdk, entry] = yield* Effect.all([loadSdk, loadStdio], { concurrency: "unbounded" })
  const scope = yield* Scope.make()
  // Ends after everything that uses it.
  const resources = yield* Scope.fork(scope)
  const run = yield* Scope.provide(FiberSet.makeRuntime(), scope)
  const promise = yield* Scope.provide(FiberSet.makeRuntimePromise(), scope)
  const left = yield* Deferred.make<void>()
  const holder = new ClientQuota(undefined, (yield* EventLoop).large)
  const calls = new Calls(run, holder)
  const observed = { telemetry: yield* Telemetry, transport: "stdio" as const }
  const wishes = new Wishes()
  let isOpening = false
  let hasOpened = false
  let name: string | undefined
  let tasks: Tasks | undefined
  /** The one that the client speaks to now: it may have asked for the revisions before. */
  let current: { readonly server: Server; readonly era: Era } | undefined

  const revision = () => (current?.era === "modern" ? MODERN : current?.server.getNegotiatedProtocolVersion())
  yield* Scope.provide(observedSession(observed, revision), scope)

  const news = (offer: McpOffer) =>
    following("the news for the client", offer.changes, (change) =>
      Effect.suspend(() => {
        if (current === undefined) return Effect.void
        const { era, server } = current
        if (era === "legacy" && change.kind === "resource" && !wishes.subscriptions.has(change.uri)) return Effect.void
        // The SDK does not wait until a client without sessions has read it.
        return Effect.andThen(tell(server, change), Effect.promise(transport.read))
      })
    )

  const opened = yield* Effect.cached(
    Effect.gen(function* () {
      hasOpened = true
      const who = { principal: `stdio-${randomBytes(8).toString("hex")}`, agent: undefined, only: undefined, name }
      const guest = yield* makeGuest(who, who.name, label)
      const offer = yield* Effect.result(Scope.provide(offered(serve, guest), resources))
      if (Result.isSuccess(offer)) run(news(offer.success))
      return { guest, offer }
    })
  )

  const open = Effect.fnUntraced(function* (era: Era): Effect.fn.Return<Server> {
    const { guest, offer } = yield* opened
    if (Result.isFailure(offer)) return makeRefusing(sdk, offer.failure)
    tasks ??= tasksOf(offer.success, run, holder, (task) => {
      if (current?.era === "legacy") tellOfTask(current.server, task.legacy)
    })
    const server = makeServer({ sdk, era, offer: offer.success, calls, tasks, wishes, run, observed })
    const { look } = yield* Scope.provide(guest.follow(server), scope)
    server.oninitialized = look
    current = { server, era }
    return server
  })

  const factory = ({ era }: { readonly era: Era }) => {
    isOpening = true
    return promise(open(era)).finally(() => {
      isOpening = false
      setImmediate(transport.wake)
    })
  }

  const transport = makeStdioTransport({
    input: process.stdin,
    output,
    makeReader: intake.makeReader,
    receivingMaxBytes: intake.receivingMaxBytes,
    isBusy: () => isOpening,
    isMessage: (message) => isMessage(sdk, message),
    onArrival: (message) => {
      if (!hasOpened) name = nameIn(message) ?? name
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
