/**
 * The queue of agent requests: one at a time per session, in order of arrival; limited per client and overall. A request
 * waits for a later one only if it could not run itself. The bytes under way of one client are limited in relation to others,
 * with a share for each that others cannot take.
 */
import * as Deferred from "effect/Deferred"
import * as Effect from "effect/Effect"
import { OrderRefused } from "../../../schemas/agent/OrderError.ts"
import type { OrderConfig } from "../../../schemas/agent/OrderConfig.ts"
import { makeSharedRoom, type Share } from "../../../system/sharedRoom.ts"

export interface Place {
  readonly client: string
  readonly session: string
  /** The bytes that it holds while it waits and runs. */
  readonly held: number
}

interface Ticket extends Place {
  readonly begins: Deferred.Deferred<void>
}

type Limits = Pick<OrderConfig, "running" | "waiting" | "runningInAll" | "waitingInAll">

const MEBIBYTE = 1024 * 1024

export const makeTurns = (limits: Limits, heldMax: number, clients: number) => {
  const waiting = new Set<Ticket>()
  const running = new Set<Ticket>()
  const shareOf = makeSharedRoom({ eachMax: heldMax, inAllMax: heldMax, holders: clients })
  const shares = new Map<string, Share>()
  let held = 0

  const isHeldOver = ({ client, held: more }: Place): boolean => (shares.get(client) ?? shareOf()).isOver(more)

  const hold = (client: string, bytes: number): void => {
    const share = shares.get(client) ?? shareOf()
    share.take(bytes)
    held += bytes
    if (share.taken() === 0) shares.delete(client)
    else shares.set(client, share)
  }

  const count = (tickets: Iterable<Ticket>, is: (ticket: Ticket) => boolean): number => {
    let found = 0
    for (const ticket of tickets) if (is(ticket)) found++
    return found
  }

  const admit = () => {
    const sessions = new Set([...running].map(({ session }) => session))
    const clients = new Map<string, number>()
    for (const { client } of running) clients.set(client, (clients.get(client) ?? 0) + 1)
    for (const ticket of waiting) {
      if (running.size >= limits.runningInAll) return
      const { client, session } = ticket
      const own = clients.get(client) ?? 0
      const mayRun = !sessions.has(session) && own < limits.running
      // Later requests of the same session must not overtake it.
      sessions.add(session)
      if (!mayRun) continue
      clients.set(client, own + 1)
      waiting.delete(ticket)
      running.add(ticket)
      Deferred.doneUnsafe(ticket.begins, Effect.void)
    }
  }

  const refusal = (place: Place): string | undefined => {
    const { client } = place
    if (isHeldOver(place)) {
      return `busy: the requests under way hold ${Math.round(held / MEBIBYTE)} MB of ${heldMax / MEBIBYTE} MB; send this one again when some of them are done`
    }
    if (count(waiting, (ticket) => ticket.client === client) > limits.waiting) {
      return `busy: ${limits.waiting} requests of this client are waiting already; send this one again when some of them are done`
    }
    return waiting.size > limits.waitingInAll
      ? `busy: ${limits.waitingInAll} requests are waiting already; send this one again when some of them are done`
      : undefined
  }

  const leave = (ticket: Ticket) =>
    Effect.sync(() => {
      if (!waiting.delete(ticket)) running.delete(ticket)
      hold(ticket.client, -ticket.held)
      admit()
    })

  const enter = (place: Place) =>
    Effect.suspend(() => {
      const ticket: Ticket = { ...place, begins: Deferred.makeUnsafe<void>() }
      waiting.add(ticket)
      admit()
      const detail = waiting.has(ticket) || isHeldOver(place) ? refusal(place) : undefined
      hold(place.client, place.held)
      if (detail === undefined) return Effect.succeed(ticket)
      return Effect.andThen(leave(ticket), new OrderRefused({ detail }))
    })

  return {
    /** `waits` gets the number of requests before it, of its session or client, if it has to wait. */
    within: <A, E, R>(place: Place, waits: (before: number) => void, work: Effect.Effect<A, E, R>) =>
      Effect.acquireUseRelease(
        enter(place),
        (ticket) => {
          if (waiting.has(ticket)) waits(count(waiting, ({ client }) => client === place.client) - 1)
          return Effect.andThen(Deferred.await(ticket.begins), work)
        },
        leave
      ),
    waitingIn: (session: string): number => count(waiting, (ticket) => ticket.session === session),
    size: () => waiting.size + running.size
  }
}
