/**
 * One request of a client while its handler runs, from the first message to the answer. A client of the 2026-07-28 revision
 * that is asked something gets its request back, and comes again with what it was asked for: the handler knows nothing of
 * that, its fiber waits. When nobody waits for the answer, the handler is interrupted.
 */
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import type * as Fiber from "effect/Fiber"
import * as Cause from "effect/Cause"
import { LISTENER_ASK_MS, LISTENER_ASKS_MAX } from "../../schemas/Defaults.ts"
import { isObject, type JsonObject } from "../../schemas/Json.ts"
import { AskRefused, type RequestRefused } from "../../schemas/ListenerError.ts"
import type { AskedMethod, ClientAbilities, Exchange, Handler } from "../../services/McpListener.ts"
import { cancelled, internalError } from "./refusals.ts"
import { Reports, type SendProgress } from "./Reports.ts"

export type Run = <A>(effect: Effect.Effect<A, unknown>) => Fiber.Fiber<A, unknown>

/** Asks the client where it can be asked at any time (up to 2025-11-25). */
export type Push = (method: AskedMethod, params: JsonObject, signal: AbortSignal) => Promise<unknown>

/** Somebody who waits for the answer. */
export interface Waiter {
  readonly can: ClientAbilities
  /** Nobody waits any more. */
  readonly gone: AbortSignal
  readonly progress: SendProgress | undefined
  /** `return`: the request may be given back with what is asked for (2026-07-28). */
  readonly asking: { readonly push: Push } | "return" | "never"
}

interface Ask {
  readonly method: AskedMethod
  readonly params: JsonObject
  readonly answered: (answer: JsonObject) => void
}

interface Waiting {
  readonly waiter: Waiter
  readonly answer: (result: JsonObject) => void
  readonly refuse: (why: RequestRefused) => void
}

export interface CallOptions {
  readonly run: Run
  /** Gives the name that the client has to come back with, and takes back what it gave before. */
  readonly park: (call: Call) => string
  readonly ended: (call: Call) => void
}

/** What a request that is given back asks for, as the 2026-07-28 revision writes it. */
const inputRequired = (asks: ReadonlyMap<string, Ask>, requestState: string): JsonObject => ({
  resultType: "input_required",
  inputRequests: Object.fromEntries([...asks].map(([key, { method, params }]) => [key, { method, params }])),
  requestState
})

const isAble = (can: ClientAbilities, method: AskedMethod, { mode }: JsonObject): boolean => {
  switch (method) {
    case "elicitation/create":
      return mode === "url" ? can.elicitation.url : can.elicitation.form
    case "sampling/createMessage":
      return can.sampling
    case "roots/list":
      return can.roots
  }
}

const unable = (method: AskedMethod) =>
  new AskRefused({ reason: "unable", detail: `the client cannot be asked for ${method} here` })

const refusedToAnswer = () => new AskRefused({ reason: "refused", detail: "the client did not give it" })

const gone = () => new AskRefused({ reason: "gone", detail: "the client does not answer" })

const pushed = (push: Push, method: AskedMethod, params: JsonObject): Effect.Effect<JsonObject, AskRefused> =>
  Effect.tryPromise({
    try: (signal) => push(method, params, signal),
    // A code is the client's word; without one the SDK says that there is no answer.
    catch: (error) => (isObject(error) && Number.isSafeInteger(error["code"]) ? refusedToAnswer() : gone())
  }).pipe(
    Effect.flatMap((answer) =>
      isObject(answer) ? Effect.succeed(answer as JsonObject) : Effect.fail(refusedToAnswer())
    ),
    Effect.timeoutOrElse({ duration: LISTENER_ASK_MS, orElse: () => Effect.fail(gone()) })
  )

export class Call {
  readonly #options: CallOptions
  readonly #reports = new Reports()
  readonly #asks = new Map<string, Ask>()
  #asked = 0
  #waiting: Waiting | undefined
  #last: Waiter
  #fiber: Fiber.Fiber<JsonObject, unknown> | undefined
  #exit: Exit.Exit<JsonObject, unknown> | undefined
  #parked: Fiber.Fiber<void, unknown> | undefined

  constructor(options: CallOptions, first: Waiter) {
    this.#options = options
    this.#last = first
  }

  /** Starts the handler; the answer is for `waiter`. */
  begin(handler: Handler, params: JsonObject): Promise<JsonObject> {
    const answer = this.#attach(this.#last)
    const fiber = this.#options.run(
      Effect.suspend(() => handler(params, this.#exchange())).pipe(
        Effect.tapCause((cause) =>
          Cause.hasDies(cause) ? Effect.logError("a request of an MCP client: unexpected failure", cause) : Effect.void
        )
      )
    )
    this.#fiber = fiber
    fiber.addObserver((exit) => this.#ended(exit))
    return answer
  }

  /** The client has come back, with answers by their keys. */
  resume(waiter: Waiter, answers: Readonly<Record<string, unknown>>): Promise<JsonObject> {
    this.#parked?.interruptUnsafe()
    this.#parked = undefined
    this.#last = waiter
    const answer = this.#attach(waiter)
    if (this.#exit !== undefined) this.#settle(this.#exit)
    for (const [key, ask] of this.#asks) {
      const given = Object.hasOwn(answers, key) ? answers[key] : undefined
      if (isObject(given)) ask.answered(given as JsonObject)
    }
    this.#giveBackSoon()
    return answer
  }

  interrupt(): void {
    this.#fiber?.interruptUnsafe()
  }

  #exchange(): Exchange {
    const can = () => this.#last.can
    return {
      get can() {
        return can()
      },
      ask: (method, params) => Effect.suspend(() => this.#ask(method, params)),
      progress: (progress) => this.#reports.report(progress, this.#waiting?.waiter.progress)
    }
  }

  #ask(method: AskedMethod, params: JsonObject): Effect.Effect<JsonObject, AskRefused> {
    const { asking, can } = this.#last
    if (asking === "never" || !isAble(can, method, params)) return Effect.fail(unable(method))
    if (asking !== "return") return pushed(asking.push, method, params)
    if (this.#asks.size >= LISTENER_ASKS_MAX) return Effect.fail(unable(method))
    return Effect.callback((resume) => {
      const key = `ask-${++this.#asked}`
      const answered = (answer: JsonObject) => {
        this.#asks.delete(key)
        resume(Effect.succeed(answer))
      }
      this.#asks.set(key, { method, params, answered })
      this.#giveBackSoon()
      return Effect.sync(() => void this.#asks.delete(key))
    })
  }

  /** What is asked at the same time goes to the client together. */
  #giveBackSoon(): void {
    setImmediate(() => {
      const waiting = this.#waiting
      if (waiting === undefined || this.#asks.size === 0) return
      this.#waiting = undefined
      this.#parked = this.#options.run(
        Effect.sleep(LISTENER_ASK_MS).pipe(Effect.andThen(Effect.sync(() => this.interrupt())))
      )
      waiting.answer(inputRequired(this.#asks, this.#options.park(this)))
    })
  }

  #attach(waiter: Waiter): Promise<JsonObject> {
    return new Promise((resolve, reject) => {
      const waiting: Waiting = { waiter, answer: resolve, refuse: reject }
      this.#waiting = waiting
      const leave = () => {
        if (this.#waiting === waiting) this.interrupt()
      }
      if (waiter.gone.aborted) setImmediate(leave)
      else waiter.gone.addEventListener("abort", leave, { once: true })
    })
  }

  #ended(exit: Exit.Exit<JsonObject, unknown>): void {
    this.#exit = exit
    if (this.#waiting !== undefined) this.#settle(exit)
    // Of a call that is parked, nobody has the answer: it is kept for as long as the client may come back.
    else if (this.#parked === undefined || Exit.hasInterrupts(exit)) this.#over()
    else this.#parked.addObserver(() => this.#waiting === undefined && this.#over())
  }

  #settle(exit: Exit.Exit<JsonObject, unknown>): void {
    const { answer, refuse, waiter } = this.#waiting!
    this.#reports.end(waiter.progress)
    this.#waiting = undefined
    this.#over()
    if (Exit.isSuccess(exit)) return answer(exit.value)
    const refused = exit.cause.reasons.find(Cause.isFailReason)?.error
    if (refused !== undefined) return refuse(refused as RequestRefused)
    refuse(Cause.hasDies(exit.cause) ? internalError() : cancelled())
  }

  #over(): void {
    this.#parked?.interruptUnsafe()
    this.#parked = undefined
    this.#options.ended(this)
  }
}
