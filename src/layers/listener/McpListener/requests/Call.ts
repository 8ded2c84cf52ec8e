/**
 * One request of a client while its handler runs, from the first message to the answer. The handler has a fiber of its own, because
 * the one who waits for its answer may change: a client of 2026-07-28 that is asked something gets its request back and comes again
 * with the answers, and a task goes on while nobody waits. When the one who waits leaves, the handler is interrupted.
 */
import * as Cause from "effect/Cause"
import * as Deferred from "effect/Deferred"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import type * as Fiber from "effect/Fiber"
import { LISTENER_ASK_MS, LISTENER_ASKS_MAX } from "../../../../schemas/defaults/Listener.ts"
import { isObject, type JsonObject } from "../../../../schemas/data/Json.ts"
import type { AskRefused, RequestRefused } from "../../../../schemas/listener/ListenerError.ts"
import type {
  AskedMethod,
  ClientAbilities,
  RequestContext,
  Handler
} from "../../../../services/listener/McpListener.ts"
import { inputRequests, inTime, isAble, refusedToAnswer, unable, type Answers, type Ask, type Push } from "./asking.ts"
import { Logs, type LogTo } from "./Logs.ts"
import { cancelled, internalError, NO_ROOM } from "./refusals.ts"
import { Reports, type SendProgress } from "./Reports.ts"
import { waitFor, type Run } from "./running.ts"

/** Somebody who waits for the answer. */
export interface Waiter {
  readonly can: ClientAbilities
  readonly progress: SendProgress | undefined
  readonly log: LogTo | undefined
  readonly elicited?: ((elicitationId: string) => void) | undefined
  /** `return`: the request may be given back with what is asked for (2026-07-28). */
  readonly asking: { readonly push: Push } | "return" | "never"
}

/** Keeps a call whose client does not wait for it: a task. */
export interface Keeper {
  /** The open questions changed; `key` is the new one, if there is one. */
  readonly asked: (key?: string) => void
  readonly said: (message: string) => void
  readonly ended: (exit: Exit.Exit<JsonObject, unknown>) => void
}

/** What waits for the answer now. */
interface Waiting {
  readonly waiter: Waiter
  readonly outcome: Deferred.Deferred<JsonObject, RequestRefused>
}

/** Of a call that has begun: its answer, and what to do when the one who waits for it leaves. */
export interface Answering {
  readonly call: Call
  readonly answer: Effect.Effect<JsonObject, RequestRefused>
  readonly leave: Effect.Effect<void>
}

export interface CallOptions {
  readonly run: Run
  /** Takes room for its arguments, until it has ended; false if there is none. */
  readonly hold: () => boolean
  /** Gives the name that the client has to come back with, and makes an earlier one invalid; nothing if there is no room. */
  readonly park: (call: Call) => string | undefined
  /** What is kept of a call that ends before its client comes back. */
  readonly kept: (exit: Exit.Exit<JsonObject, unknown>) => Exit.Exit<JsonObject, unknown>
  readonly ended: (call: Call) => void
}

/** What a client is told of a handler that gave no result. */
export const refusalIn = (cause: Cause.Cause<unknown>): RequestRefused => {
  const refused = cause.reasons.find(Cause.isFailReason)?.error as RequestRefused | undefined
  return refused ?? (Cause.hasDies(cause) ? internalError() : cancelled())
}

/** After a call has ended. */
const NOBODY: Waiter = {
  can: { elicitation: { form: false, url: false }, sampling: false, roots: false },
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
  /** Answers to questions that have not been asked yet. */
  #brought: Answers
  #last: Waiter
  #waiting: Waiting | undefined
  #keeper: Keeper | undefined
  /** Called when the client comes back that the request was given back to. */
  #returned: (() => void) | undefined
  /** Until the handler has ended: a fiber holds its result. */
  #fiber: Fiber.Fiber<JsonObject, unknown> | undefined
  #state: "new" | "running" | "ended" = "new"
  /** How it ended, until somebody is given that. */
  #exit: Exit.Exit<JsonObject, unknown> | undefined

  constructor(options: CallOptions, first: Waiter, brought: Answers) {
    this.#options = options
    this.#last = first
    this.#brought = brought
  }

  /** Starts the handler; the answer is for the first waiter, unless the call was given to a keeper. */
  begin(handler: Handler, params: JsonObject): Answering {
    const answering = this.#attach(this.#last)
    if (this.#keeper !== undefined) this.#waiting = undefined
    this.#state = "running"
    this.#fiber = this.#options.run(
      Effect.suspend(() => handler(params, this.#context())).pipe(
        Effect.tapCause((cause) =>
          Cause.hasDies(cause) ? Effect.logError("a request of an MCP client: unexpected failure", cause) : Effect.void
        )
      )
    )
    this.#fiber.addObserver((exit) => this.#ended(exit))
    return answering
  }

  /** The client has come back, with answers by their keys. */
  resume(waiter: Waiter, answers: Answers): Answering {
    this.#returned?.()
    this.#returned = undefined
    this.#last = waiter
    const answering = this.#attach(waiter)
    if (this.#exit !== undefined) this.#settle(this.#exit)
    this.answerAll(answers)
    this.#giveBackSoon()
    return answering
  }

  /** Answers what is asked. An answer that is left out may come another time; one of a wrong shape is a refusal. */
  answerAll(answers: Answers): void {
    for (const [key, { answered }] of this.#asks) {
      if (!Object.hasOwn(answers, key)) continue
      const given = answers[key]
      answered(isObject(given) ? Exit.succeed(given as JsonObject) : Exit.fail(refusedToAnswer()))
    }
  }

  /**
   * From now on nobody waits for the answer: the call goes on for its keeper. False if it is too late for that, or if there is no
   * room for what it holds meanwhile.
   */
  keep(keeper: Keeper): boolean {
    const isLate = this.#state === "ended" || (this.#state === "running" && this.#waiting === undefined)
    if (isLate || !this.#options.hold()) return false
    this.#logs.flush()
    this.#keeper = keeper
    this.#waiting = undefined
    for (const key of this.#asks.keys()) keeper.asked(key)
    return true
  }

  /** What is asked and not answered, by its names. */
  get asks(): ReadonlyMap<string, Ask> {
    return this.#asks
  }

  interrupt(): void {
    this.#fiber?.interruptUnsafe()
  }

  #context(): RequestContext {
    const can = () => this.#last.can
    return {
      get can() {
        return can()
      },
      ask: (method, params, name) => Effect.suspend(() => this.#ask(method, params, name)),
      elicited: (id) => this.#last.elicited?.(id),
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
    if (asking !== "return" && !isKept) return asking.push(method, params)
    if (this.#asks.size >= LISTENER_ASKS_MAX) return Effect.fail(unable(method))
    const brought = name === undefined ? undefined : this.#broughtBy(name)
    if (brought !== undefined) return Effect.succeed(brought)
    const key = name === undefined || this.#asks.has(name) ? `ask-${this.#asked + 1}` : name
    this.#asked++
    const answer = Deferred.makeUnsafe<JsonObject, AskRefused>()
    const over = () => {
      if (this.#asks.delete(key)) this.#keeper?.asked()
    }
    const answered: Ask["answered"] = (exit) => {
      over()
      Deferred.doneUnsafe(answer, exit)
    }
    this.#asks.set(key, { method, params, answered })
    this.#keeper?.asked(key)
    this.#giveBackSoon()
    const question = Effect.ensuring(Deferred.await(answer), Effect.sync(over))
    // A question that is given back has its deadline there.
    return isKept ? inTime(question) : question
  }

  /** Each answer is for one question. */
  #broughtBy(name: string): JsonObject | undefined {
    const { [name]: answer, ...rest } = Object.hasOwn(this.#brought, name) ? this.#brought : {}
    if (!isObject(answer)) return undefined
    this.#brought = rest
    return answer as JsonObject
  }

  #attach(waiter: Waiter): Answering {
    const outcome = Deferred.makeUnsafe<JsonObject, RequestRefused>()
    this.#waiting = { waiter, outcome }
    return {
      call: this,
      answer: Deferred.await(outcome),
      leave: Effect.sync(() => {
        if (this.#waiting?.outcome === outcome) this.interrupt()
      })
    }
  }

  /** What is asked at the same time goes to the client together. */
  #giveBackSoon(): void {
    if (this.#waiting !== undefined) setImmediate(() => this.#giveBack())
  }

  #giveBack(): void {
    const waiting = this.#waiting
    if (waiting === undefined || this.#asks.size === 0) return
    this.#waiting = undefined
    this.#logs.flush()
    const requestState = this.#options.park(this)
    if (requestState === undefined) {
      this.interrupt()
      return void Deferred.doneUnsafe(waiting.outcome, Exit.fail(NO_ROOM))
    }
    this.#returned = waitFor(this.#options.run, LISTENER_ASK_MS, () => {
      this.#returned = undefined
      this.interrupt()
      if (this.#exit !== undefined) this.#over()
    })
    const given = { resultType: "input_required", inputRequests: inputRequests(this.#asks), requestState }
    Deferred.doneUnsafe(waiting.outcome, Exit.succeed(given))
  }

  #ended(exit: Exit.Exit<JsonObject, unknown>): void {
    this.#state = "ended"
    this.#fiber = undefined
    if (this.#keeper !== undefined) {
      this.#reports.end(this.#last.progress)
      this.#logs.flush()
      this.#over()
      this.#keeper.ended(exit)
    } else if (this.#waiting !== undefined) this.#settle(exit)
    // If the request was given back, nobody has the answer: it is kept for as long as the client may come back.
    else if (this.#returned === undefined || Exit.hasInterrupts(exit)) this.#over()
    else this.#exit = this.#options.kept(exit)
  }

  #settle(exit: Exit.Exit<JsonObject, unknown>): void {
    const { outcome, waiter } = this.#waiting!
    this.#reports.end(waiter.progress)
    this.#logs.flush()
    this.#waiting = undefined
    this.#over()
    Deferred.doneUnsafe(outcome, Exit.isSuccess(exit) ? Exit.succeed(exit.value) : Exit.fail(refusalIn(exit.cause)))
  }

  #over(): void {
    this.#exit = undefined
    // A task may keep a call for long after it has ended, but not the client's request, which its ways to the client hold.
    this.#last = NOBODY
    this.#brought = {}
    this.#returned?.()
    this.#returned = undefined
    this.#options.ended(this)
  }
}
