/** Remembers the states that servers were in. Bounded, and put together when somebody looks. */
import type { ServerState } from "../connection/ServerState.ts"
import { LIFE_EVENTS_MAX, LIFE_REASON_MAX_CHARS, LIFE_SERVERS_MAX } from "../defaults/Control.ts"
import type { LifeEvent, StateSpan, TimelineValue } from "./History.ts"

/** The change of one server from a state to another one; `from` is `undefined` at its beginning. */
export interface Moved {
  readonly at: number
  readonly server: string
  /** The agent or client that has the process for itself. */
  readonly holder?: string | undefined
  /** Tells the processes of one server apart. */
  readonly process: number
  readonly from: ServerState["_tag"] | undefined
  readonly to: ServerState
}

interface Kept {
  readonly holder: string | undefined
  readonly event: LifeEvent
}

interface Life {
  readonly events: Array<Kept>
  missed: number
}

const kindOf = ({ from, to }: Moved): LifeEvent["kind"] =>
  to._tag === "Backoff" ? "restart" : from === "Ready" && to._tag !== "Idle" ? "exit" : "state"

const reasonOf = (state: ServerState): string | undefined =>
  state._tag === "Backoff" || state._tag === "Failed" ? state.cause.message : undefined

export interface Lives {
  readonly add: (moved: Moved) => void
  /** The states of a server since a time, the oldest first: at each time those of the process that began last. */
  readonly states: (server: string, holder: string | undefined, since: number) => ReadonlyArray<StateSpan>
  readonly timeline: (server: string) => TimelineValue
}

export const makeLives = (): Lives => {
  const lives = new Map<string, Life>()

  const lifeOf = (server: string): Life => {
    const known = lives.get(server)
    if (known !== undefined) return known
    // Sessions may bring servers of any name.
    if (lives.size >= LIFE_SERVERS_MAX) lives.delete(lives.keys().next().value!)
    const fresh: Life = { events: [], missed: 0 }
    lives.set(server, fresh)
    return fresh
  }

  return {
    add: (moved) => {
      const { at, holder, process, server, to } = moved
      const { events } = lifeOf(server)
      const reason = reasonOf(to)?.slice(0, LIFE_REASON_MAX_CHARS)
      const event = { at, kind: kindOf(moved), state: to._tag, process }
      events.push({ holder, event: reason === undefined ? event : { ...event, reason } })
      if (events.length > LIFE_EVENTS_MAX) {
        events.shift()
        lifeOf(server).missed++
      }
    },
    states: (server, holder, since) => {
      const own = (lives.get(server)?.events ?? []).flatMap((kept) => (kept.holder === holder ? [kept.event] : []))
      let newest = 0
      // One that takes the place of another continues its strip, also while the older one still ends.
      const line = own.filter((event) => event.process >= newest && ((newest = event.process), true))
      return line.flatMap(({ at, reason, state }, i) => {
        const to = line[i + 1]?.at
        if (to !== undefined && to <= since) return []
        return [
          {
            from: Math.max(at, since),
            ...(to === undefined ? {} : { to }),
            state,
            ...(reason === undefined ? {} : { reason })
          }
        ]
      })
    },
    timeline: (server) => {
      const { events, missed } = lives.get(server) ?? { events: [], missed: 0 }
      return { server, events: events.map(({ event }) => event), missed }
    }
  }
}
