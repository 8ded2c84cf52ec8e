/**
 * The requests under way of one client, or of all clients with one token where a revision has no connections: bounded in
 * number with all others of the same holder, found again by a name that nobody can guess, and only by the request that was
 * given back.
 */
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import { createHash, randomBytes } from "node:crypto"
import { LISTENER_REQUESTS_MAX } from "../../../../schemas/defaults/Listener.ts"
import { canonical, type JsonObject } from "../../../../schemas/data/Json.ts"
import { weightOf } from "../../../../schemas/connection/Weight.ts"
import type { Handler } from "../../../../services/listener/McpListener.ts"
import { WorkFor } from "../../../../system/inTurns.ts"
import type { Share } from "../../../../system/sharedRoom.ts"
import { Call, type Answers, type Run, type Waiter } from "./Call.ts"
import type { ClientQuota } from "./ClientQuota.ts"
import { NO_ROOM, tooMany, unknownState } from "./refusals.ts"

const STATE_BYTES = 32

/** What else a request says is another one at each time it comes. */
const digestOf = (method: string, { _meta, ...params }: JsonObject): string =>
  createHash("sha256").update(method).update("\n").update(canonical(params)).digest("base64")

export interface Request {
  readonly method: string
  readonly params: JsonObject
  /** That of a client that comes back, and what it brings. */
  readonly state: unknown
  readonly answers: Answers
}

export interface Answering {
  readonly call: Call
  readonly answer: Promise<JsonObject>
}

interface Parked {
  readonly call: Call
  readonly digest: string
}

/** What a call keeps that nobody waits for: its arguments, and its result where its client has to come back for that. */
const roomOf = (results: Share) => {
  let taken = 0
  const change = (weight: number) => {
    results.take(weight)
    taken += weight
  }
  return {
    take: (value: JsonObject): boolean => {
      const weight = weightOf(value)
      if (results.isOver(weight)) return false
      change(weight)
      return true
    },
    giveBack: () => change(-taken)
  }
}

export class Calls {
  readonly #run: Run
  readonly #holder: ClientQuota
  readonly #underWay = new Set<Call>()
  readonly #parked = new Map<string, Parked>()
  readonly #names = new Map<Call, string>()

  constructor(run: Run, holder: ClientQuota) {
    this.#run = run
    this.#holder = holder
  }

  /** Whether nothing is under way, nor waits for its client to come back. */
  get isIdle(): boolean {
    return this.#underWay.size === 0
  }

  /** Begins a call, or goes on with the one that the client comes back to. `before` sees it before its handler starts. */
  answer(handler: Handler, request: Request, waiter: Waiter, before?: (call: Call) => void): Answering {
    return request.state === undefined
      ? this.#begin(handler, request, waiter, before)
      : this.#resume(request, request.state, waiter)
  }

  #begin(
    handler: Handler,
    { answers, method, params: given }: Omit<Request, "state">,
    waiter: Waiter,
    before: ((call: Call) => void) | undefined
  ): Answering {
    if (this.#holder.requests >= LISTENER_REQUESTS_MAX) throw tooMany()
    let digest: string | undefined
    const room = roomOf(this.#holder.shares.results)
    // A call that has ended may be kept for long, as a task: not its arguments.
    let params: JsonObject | undefined = given
    let isHeld = false
    const hold = () => (isHeld ||= room.take(params ?? {}))
    const call = new Call(
      {
        run: (effect) => this.#run(Effect.provideService(effect, WorkFor, this.#holder.pace.party)),
        hold,
        park: (parked) => {
          if (!hold()) return undefined
          digest ??= digestOf(method, params ?? {})
          return this.#park(parked, digest)
        },
        kept: (exit) => (Exit.isFailure(exit) || room.take(exit.value) ? exit : Exit.fail(NO_ROOM)),
        ended: (one) => {
          if (this.#underWay.delete(one)) this.#holder.requests--
          this.#forget(one)
          params = undefined
          room.giveBack()
        }
      },
      waiter,
      answers
    )
    // It may refuse the call.
    before?.(call)
    this.#underWay.add(call)
    this.#holder.requests++
    return { call, answer: call.begin(handler, given) }
  }

  #park(call: Call, digest: string): string {
    this.#forget(call)
    const name = randomBytes(STATE_BYTES).toString("base64url")
    this.#parked.set(name, { call, digest })
    this.#names.set(call, name)
    return name
  }

  #forget(call: Call): void {
    const name = this.#names.get(call)
    if (name !== undefined) this.#parked.delete(name)
    this.#names.delete(call)
  }

  /** Each name is good once. */
  #resume({ answers, method, params }: Request, state: unknown, waiter: Waiter): Answering {
    const parked = typeof state === "string" ? this.#parked.get(state) : undefined
    if (parked === undefined || parked.digest !== digestOf(method, params)) throw unknownState()
    this.#forget(parked.call)
    const { call } = parked
    return { call, answer: call.resume(waiter, answers) }
  }
}
