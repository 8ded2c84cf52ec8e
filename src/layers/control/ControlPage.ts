/**
 * Serves the page on the loopback address. The first address that is asked for opens the door, which stays open for the Scope; if that fails, the
 * next one tries again. The handlers come later than the page, because one of them gives its address.
 */
import * as Context from "effect/Context"
import * as Deferred from "effect/Deferred"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import * as Fiber from "effect/Fiber"
import * as FiberSet from "effect/FiberSet"
import * as Scope from "effect/Scope"
import * as Semaphore from "effect/Semaphore"
import { PageUnavailable } from "../../schemas/control/Login.ts"
import type { ControlPage } from "../../services/control/ControlPage.ts"
import type { makeTransport } from "../../system/control/transport.ts"
import type { PersonalHandlers } from "../../services/control/PersonalHandlers.ts"
import { inPackage } from "../../system/ownPackage.ts"
import type { Door, DoorOptions } from "./ControlPage/open.ts"

/** What answers the requests of the contracts. */
export type Handlers = Exclude<Effect.Services<typeof makeTransport>, Scope.Scope> | PersonalHandlers

export interface PageOptions extends Omit<DoorOptions, "files"> {
  /** The folder of the page's files; that of this package when left out. */
  readonly files?: string | undefined
}

/** The page, and how to give it its handlers. */
export interface Page {
  readonly service: ControlPage["Service"]
  readonly answerWith: (handlers: Context.Context<Handlers>) => Effect.Effect<void>
}

/** For the caller's Scope. */
export const make = Effect.fnUntraced(function* (options: PageOptions): Effect.fn.Return<Page, never, Scope.Scope> {
  const handlers = yield* Deferred.make<Context.Context<Handlers>>()
  const around = yield* Effect.scope
  // Whoever asks first is not the one whom the door is opened for: what its fiber knows, and its end, are its own.
  const run = yield* FiberSet.makeRuntime<never>()
  const oneAtATime = Semaphore.makeUnsafe(1)
  let door: Door | undefined

  const folder = options.files ?? inPackage("dist/page")

  const open = Effect.gen(function* () {
    const { openDoor } = yield* Effect.promise(() => import("./ControlPage/open.ts"))
    const context = yield* Deferred.await(handlers)
    const scope = yield* Scope.fork(around)
    door = yield* openDoor({ ...options, files: folder }).pipe(
      Effect.provideContext(context),
      Scope.provide(scope),
      Effect.mapError((detail) => new PageUnavailable({ detail })),
      Effect.onError((cause) => Scope.close(scope, Exit.failCause(cause)))
    )
    return door
  })
  const opening = oneAtATime.withPermit(Effect.suspend(() => (door === undefined ? open : Effect.succeed(door))))
  const opened = Effect.suspend(() => Fiber.join(run(opening)))

  return {
    service: {
      address: ({ readOnly = false }) => Effect.map(opened, ({ address }) => address(readOnly)),
      forPeople: Effect.fnUntraced(function* (given) {
        const { page: logins } = given.verifier
        if (logins === undefined)
          return yield* new PageUnavailable({ detail: "no issuer of `clients.issuers` has `page`" })
        const [{ openPeople }, { readPage }] = yield* Effect.promise(() =>
          Promise.all([import("./ControlPage/people.ts"), import("./ControlPage/files.ts")])
        )
        const read = yield* Effect.mapError(readPage(folder), (detail) => new PageUnavailable({ detail }))
        return yield* Effect.provideContext(openPeople(given, logins, read), yield* Deferred.await(handlers))
      })
    },
    answerWith: (context) => Effect.asVoid(Deferred.succeed(handlers, context))
  }
})
