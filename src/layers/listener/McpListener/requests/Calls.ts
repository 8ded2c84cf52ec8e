/**
 * The requests under way of one client, or of all clients with one token if a revision has no connections. Their number is bounded
 * together with all others of the same holder. A request that was given back is found by a name that nobody can guess, and only by
 * the same request.
 */
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import { randomBytes } from "node:crypto"
import { isDeepStrictEqual } from "node:util"
import { LISTENER_REQUESTS_MAX } from "../../../../schemas/defaults/Listener.ts"
import type { JsonObject } from "../../../../schemas/data/Json.ts"
import { seenSpan } from "../../../../schemas/telemetry/CurrentSpan.ts"
import { weightOf } from "../../../../schemas/connection/Weight.ts"
import type { RequestRefused } from "../../../../schemas/listener/ListenerError.ts"
import { CallOrigin, type Origin } from "../../../../services/call/CallJournal.ts"
import type { Handler } from "../../../../services/listener/McpListener.ts"
import { WorkFor } from "../../../../system/inTurns.ts"
import type { Share } from "../../../../system/sharedRoom.ts"
import type { Answers } from "./asking.ts"
import { Call, type Answering, type Waiter } from "./Call.ts"
import type { Run } from "./running.ts"
import type { ClientQuota } from "./ClientQuota.ts"
import type { InFleet } from "./InFleet.ts"
import { CALL, hadLeft, lostResult, nameToComeBack, originIn, repeatedResult } from "./lost.ts"
import { NO_ROOM, tooMany, unknownState } from "./refusals.ts"

const STATE_BYTES = 32
const KEY_BYTES = 12

/** What makes it the same request when it comes again: `_meta` is another one each time. */
const withoutMeta = ({ _meta, ...params }: JsonObject): JsonObject => params

export interface Request {
  /** That of its client, where a session makes it unique. */
  readonly id?: string | number | undefined
  readonly method: string
  readonly params: JsonObject
  /** That of a client that comes back, and what it brings. */
  readonly state: unknown
  readonly answers: Answers
}

interface Parked {
  readonly call: Call
  readonly method: string
  readonly params: JsonObject
}

/** Room for what a call keeps while nobody waits for it: its arguments, and its result if its client has to come back for that. */
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

/** Whatever becomes of it this time, its client is not told that it was not executed. */
const repeated =
  (handler: Handler): Handler =>
  (params, context) =>
    handler(params, context).pipe(
      Effect.map(repeatedResult),
      Effect.catch(() => Effect.succeed(lostResult()))
    )

export class Calls {
  readonly #run: Run
  readonly #holder: ClientQuota
  readonly #underWay = new Set<Call>()
  readonly #fleet: InFleet | undefined
  /** By the names that their clients come back with. */
  readonly #parked = new Map<string, Parked>()

  constructor(run: Run, holder: ClientQuota, fleet?: InFleet) {
    this.#run = run
    this.#holder = holder
    this.#fleet = fleet
  }

  /** Whether nothing is under way, nor waits for its client to come back. */
  get isIdle(): boolean {
    return this.#underWay.size === 0
  }

  /** Begins a call, or continues the one that the client comes back to. `before` sees it before its handler starts, and may refuse it. */
  answer(
    handler: Handler,
    request: Request,
    waiter: Waiter,
    before?: (call: Call) => RequestRefused | undefined
  ): Effect.Effect<Answering, RequestRefused> {
    return Effect.suspend(() =>
      request.state === undefined
        ? this.#begin(handler, request, waiter, before)
        : this.#resume(handler, request, waiter)
    )
  }

  /** What the journal of calls knows a call by. One that answers its request can be run again for that: a task answers it by itself. */
  #originOf({ id, method, params }: Request, isTask: boolean, runs: number, leaves: () => void): Origin | undefined {
    if (this.#fleet === undefined) return undefined
    const { directory, session } = this.#fleet
    if (session !== undefined) {
      if (id === undefined) return undefined
      return { session, request: id, runs, ...(method === CALL && !isTask && { params }) }
    }
    return { ...originIn(directory.nameOf(randomBytes(KEY_BYTES).toString("base64url"))), leaves }
  }

  #begin(
    handler: Handler,
    request: Request,
    waiter: Waiter,
    before: ((call: Call) => RequestRefused | undefined) | undefined
  ): Effect.Effect<Answering, RequestRefused> {
    const runs = request.id === undefined ? 0 : (this.#fleet?.runsBefore?.(request.id) ?? 0)
    const isRepeated = runs > 0
    // Of a call that was let in before nobody may say that it was not executed.
    if (this.#holder.requests >= LISTENER_REQUESTS_MAX && !isRepeated) return Effect.fail(tooMany())
    const { answers, method, params: given } = request
    let name: string | undefined
    // The handler has a fiber of its own, under the span of the request that began it.
    const span = seenSpan()
    let hasLeft = false
    const origin = this.#originOf(request, before !== undefined, runs, () => (hasLeft = true))
    const room = roomOf(this.#holder.shares.results)
    // A task may keep a call for long after it has ended, but not its arguments.
    let params: JsonObject | undefined = given
    let isHeld = false
    const hold = () => (isHeld ||= room.take(params ?? {}))
    const forget = () => name !== undefined && this.#parked.delete(name)
    const call: Call = new Call(
      {
        run: (effect) => {
          const own = Effect.provideService(effect, WorkFor, this.#holder.pace.party)
          const work = origin === undefined ? own : Effect.provideService(own, CallOrigin, origin)
          return this.#run(span === undefined ? work : Effect.withParentSpan(work, span))
        },
        hold,
        park: (parked) => {
          if (!hold()) return undefined
          forget()
          const random = randomBytes(STATE_BYTES).toString("base64url")
          name = origin === undefined ? random : nameToComeBack(origin, random, hasLeft)
          this.#parked.set(name, { call: parked, method, params: withoutMeta(params ?? {}) })
          return name
        },
        kept: (exit) => (Exit.isFailure(exit) || room.take(exit.value) ? exit : Exit.fail(NO_ROOM)),
        ended: (one) => {
          if (this.#underWay.delete(one)) this.#holder.requests--
          forget()
          params = undefined
          room.giveBack()
        }
      },
      waiter,
      answers
    )
    const refused = before?.(call)
    if (refused !== undefined) return Effect.fail(refused)
    this.#underWay.add(call)
    this.#holder.requests++
    return Effect.succeed(call.begin(isRepeated ? repeated(handler) : handler, given))
  }

  /** Each name is valid once. */
  #resume(handler: Handler, request: Request, waiter: Waiter): Effect.Effect<Answering, RequestRefused> {
    const { answers, method, params, state } = request
    const parked = typeof state === "string" ? this.#parked.get(state) : undefined
    const isSame = parked?.method === method && isDeepStrictEqual(parked.params, withoutMeta(params))
    if (parked === undefined && typeof state === "string") return this.#resumeLost(handler, request, state, waiter)
    if (parked === undefined || !isSame) return Effect.fail(unknownState())
    this.#parked.delete(state as string)
    return Effect.succeed(parked.call.resume(waiter, answers))
  }

  /**
   * The node that gave the request back is dead. Its client is told what became of the call; one that had not left begins again, with the
   * answers that the client brings.
   */
  #resumeLost(
    handler: Handler,
    request: Request,
    state: string,
    waiter: Waiter
  ): Effect.Effect<Answering, RequestRefused> {
    const directory = this.#fleet?.directory
    if (directory?.isName(state) !== true || directory.homeOf(state) !== undefined) return Effect.fail(unknownState())
    return Effect.flatMap(directory.fateOf(originIn(state)), (known) => {
      // Its node may have died before it could write the row.
      const fate = known ?? (hadLeft(state) ? "unknown" : undefined)
      const told: Handler = fate === undefined ? handler : () => Effect.succeed(lostResult(fate))
      return this.#begin(told, { ...request, state: undefined }, waiter, undefined)
    })
  }
}
