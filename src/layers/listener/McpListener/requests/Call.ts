/**
 * One request of a client while its handler runs, from the first message to the answer. A client of the 2026-07-28 revision
 * that is asked something gets its request back, and comes again with what it was asked for: the handler knows nothing of
 * that, its fiber waits. When nobody waits for the answer, the handler is interrupted.
 */
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import type * as Fiber from "effect/Fiber"
import * as Cause from "effect/Cause"
import { LISTENER_ASK_MS, LISTENER_ASKS_MAX } from "../../../../schemas/defaults/Listener.ts"
import { isObject, type JsonObject } from "../../../../schemas/data/Json.ts"
import { AskRefused, type RequestRefused } from "../../../../schemas/listener/ListenerError.ts"
import type {
  AskedMethod,
  ClientAbilities,
  RequestContext,
  Handler
} from "../../../../services/listener/McpListener.ts"
import { Logs, type LogTo } from "./Logs.ts"
import { cancelled, internalError, NO_ROOM } from "./refusals.ts"
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
  readonly log: LogTo | undefined
  /** `return`: the request may be given back with what is asked for (2026-07-28). */
  readonly asking: { readonly push: Push } | "return" | "never"
}

/** By the names of the questions; a stranger's. */
export type Answers = Readonly<Record<string, unknown>>

export interface Ask {
  readonly method: AskedMethod
  readonly params: JsonObject
  readonly answered: (answer: JsonObject) => void
  readonly refused: (why: AskRefused) => void
}

/** Keeps a call whose client has been told to come back for it. */
export interface Keeper {
  /** What is asked is another than before. */
  readonly asked: () => void
  readonly said: (message: string) => void
  readonly ended: (exit: Exit.Exit<JsonObject, unknown>) => void
}

interface Waiting {
  readonly waiter: Waiter
  readonly answer: (result: JsonObject) => void
  readonly refuse: (why: RequestRefused) => void
}

export interface CallOptions {
  readonly run: Run
  /** Takes room for its arguments, until it has ended; false where there is none. */
  readonly hold: () => boolean
  /** Gives the name that the client has to come back with, and takes back what it gave before; nothing where there is no room. */
  readonly park: (call: Call) => string | undefined
  /** What is kept of a call that ends before its client comes back. */
  readonly kept: (exit: Exit.Exit<JsonObject, unknown>) => Exit.Exit<JsonObject, unknown>
  readonly ended: (call: Call) => void
}

/** What a request that is given back asks for, as the 2026-07-28 revision writes it. */
export const inputRequests = (asks: ReadonlyMap<string, Ask>): JsonObject =>
  Object.fromEntries([...asks].map(([key, { method, params }]) => [key, { method, params }]))

/** What a client is told of a handler that gave no result. */
export const refusalIn = (cause: Cause.Cause<unknown>): RequestRefused => {
  const refused = cause.reasons.find(Cause.isFailReason)?.error as RequestRefused | undefined
  return refused ?? (Cause.hasDies(cause) ? internalError() : cancelled())
}

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

export const refusedToAnswer = () => new AskRefused({ reason: "refused", detail: "the client did not give it" })

/** One that is left out may come another time; one that is none is none for good. */
export const answerWith = (ask: Ask, key: string, answers: Answers): void => {
  if (!Object.hasOwn(answers, key)) return
  const given = answers[key]
  if (isObject(given)) ask.answered(given as JsonObject)
  else ask.refused(refusedToAnswer())
}

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

/** Of a call that has ended. */
const NOBODY: Waiter = {
  can: { elicitation: { form: false, url: false }, sampling: false, roots: false },
  gone: AbortSignal.abort(),
  progress: undefined,
  log: undefined,
  asking: "never"
}

export class Call {
  readonly #options: CallOptions
  readonly #reports = new Reports()
  readonly #logs = new Logs()
  readonly #asks = new Map<string, Ask>()
  #asked = 0
  /** Answers to what has not been asked. */
  #brought: Answers
  #waiting: Waiting | undefined
  #last: Waiter
  /** Until it has ended: it holds the result. */
  #fiber: Fiber.Fiber<JsonObject, unknown> | undefined
  #hasBegun = false
  #hasEnded = false
  /** What nobody has been given yet. */
  #exit: Exit.Exit<JsonObject, unknown> | undefined
  #parked: Fiber.Fiber<void, unknown> | undefined
  #keeper: Keeper | undefined

  constructor(options: CallOptions, first: Waiter, brought: Answers) {
    this.#options = options
    this.#last = first
    this.#brought = brought
  }

  /** Starts the handler; the answer is for the first waiter, where nobody keeps the call. */
  begin(handler: Handler, params: JsonObject): Promise<JsonObject> {
    const answer = this.#keeper === undefined ? this.#attach(this.#last) : new Promise<JsonObject>(() => {})
    const fiber = this.#options.run(
      Effect.suspend(() => handler(params, this.#exchange())).pipe(
        Effect.tapCause((cause) =>
          Cause.hasDies(cause) ? Effect.logError("a request of an MCP client: unexpected failure", cause) : Effect.void
        )
      )
    )
    this.#hasBegun = true
    this.#fiber = fiber
    fiber.addObserver((exit) => this.#ended(exit))
    return answer
  }

  /** The client has come back, with answers by their keys. */
  resume(waiter: Waiter, answers: Answers): Promise<JsonObject> {
    this.#parked?.interruptUnsafe()
    this.#parked = undefined
    this.#last = waiter
    const answer = this.#attach(waiter)
    if (this.#exit !== undefined) this.#settle(this.#exit)
    for (const [key, ask] of this.#asks) {
      answerWith(ask, key, answers)
    }
    this.#giveBackSoon()
    return answer
  }

  /**
   * From now on nobody waits for the answer: the call goes on for whoever keeps it. False when it is too late for that, or when
   * there is no room for what it holds meanwhile.
   */
  keep(keeper: Keeper): boolean {
    if (this.#hasBegun && (this.#waiting === undefined || this.#hasEnded)) return false
    if (!this.#options.hold()) return false
    this.#logs.flush()
    this.#keeper = keeper
    this.#waiting = undefined
    if (this.#asks.size > 0) keeper.asked()
    return true
  }

  /** What is asked, and not answered, by its names. */
  get asks(): ReadonlyMap<string, Ask> {
    return this.#asks
  }

  interrupt(): void {
    this.#fiber?.interruptUnsafe()
  }

  #exchange(): RequestContext {
    const can = () => this.#last.can
    return {
      get can() {
        return can()
      },
      ask: (method, params, name) => Effect.suspend(() => this.#ask(method, params, name)),
      progress: (progress) => {
        if (progress.message !== undefined) this.#keeper?.said(progress.message)
        this.#reports.report(progress, this.#last.progress)
      },
      log: (message) => this.#logs.add(message, this.#last.log)
    }
  }

  #ask(method: AskedMethod, params: JsonObject, name: string | undefined): Effect.Effect<JsonObject, AskRefused> {
    const { asking, can } = this.#last
    if (asking === "never" || !isAble(can, method, params)) return Effect.fail(unable(method))
    const isKept = this.#keeper !== undefined
    if (asking !== "return" && !isKept) return pushed(asking.push, method, params)
    if (this.#asks.size >= LISTENER_ASKS_MAX) return Effect.fail(unable(method))
    const brought = name === undefined ? undefined : this.#broughtBy(name)
    if (brought !== undefined) return Effect.succeed(brought)
    const question = Effect.callback<JsonObject, AskRefused>((resume) => {
      const count = ++this.#asked
      const key = name === undefined || this.#asks.has(name) ? `ask-${count}` : name
      const over = () => {
        this.#asks.delete(key)
        this.#keeper?.asked()
      }
      const settle = (outcome: Effect.Effect<JsonObject, AskRefused>) => {
        over()
        resume(outcome)
      }
      this.#asks.set(key, {
        method,
        params,
        answered: (answer) => settle(Effect.succeed(answer)),
        refused: (why) => settle(Effect.fail(why))
      })
      this.#keeper?.asked()
      this.#giveBackSoon()
      return Effect.sync(over)
    })
    // One that is given back has its deadline there.
    if (!isKept) return question
    return Effect.timeoutOrElse(question, { duration: LISTENER_ASK_MS, orElse: () => Effect.fail(gone()) })
  }

  /** Each answer is for one question. */
  #broughtBy(name: string): JsonObject | undefined {
    const answer = Object.hasOwn(this.#brought, name) ? this.#brought[name] : undefined
    if (!isObject(answer)) return undefined
    this.#brought = Object.fromEntries(Object.entries(this.#brought).filter(([key]) => key !== name))
    return answer as JsonObject
  }

  /** What is asked at the same time goes to the client together. */
  #giveBackSoon(): void {
    setImmediate(() => {
      const waiting = this.#waiting
      if (waiting === undefined || this.#asks.size === 0) return
      this.#waiting = undefined
      this.#logs.flush()
      const requestState = this.#options.park(this)
      if (requestState === undefined) {
        this.interrupt()
        return waiting.refuse(NO_ROOM)
      }
      this.#parked = this.#options.run(
        Effect.sleep(LISTENER_ASK_MS).pipe(Effect.andThen(Effect.sync(() => this.interrupt())))
      )
      waiting.answer({ resultType: "input_required", inputRequests: inputRequests(this.#asks), requestState })
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
    this.#hasEnded = true
    this.#fiber = undefined
    if (this.#keeper !== undefined) {
      this.#reports.end(this.#last.progress)
      this.#logs.flush()
      this.#over()
      this.#keeper.ended(exit)
    } else if (this.#waiting !== undefined) this.#settle(exit)
    // Of a call that is parked, nobody has the answer: it is kept for as long as the client may come back.
    else if (this.#parked === undefined || Exit.hasInterrupts(exit)) this.#over()
    else {
      this.#exit = this.#options.kept(exit)
      this.#parked.addObserver(() => this.#waiting === undefined && this.#over())
    }
  }

  #settle(exit: Exit.Exit<JsonObject, unknown>): void {
    const { answer, refuse, waiter } = this.#waiting!
    this.#reports.end(waiter.progress)
    this.#logs.flush()
    this.#waiting = undefined
    this.#exit = undefined
    this.#over()
    if (Exit.isSuccess(exit)) return answer(exit.value)
    refuse(refusalIn(exit.cause))
  }

  #over(): void {
    // A call that has ended may be kept for long, as a task: not its client's request, which its ways to the client have with them.
    this.#last = NOBODY
    this.#brought = {}
    this.#parked?.interruptUnsafe()
    this.#parked = undefined
    this.#options.ended(this)
  }
}
