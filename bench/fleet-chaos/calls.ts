/** Every call of a run: what its client asked for, what the load balancer saw of it, and what its client was told. */
import type { Era } from "./clients.ts"

export type Outcome =
  /** The result of its tool. */
  | "success"
  /** An error of the tool or of its server, which was executed. */
  | "failed"
  /** An error that says that it was not executed: it says nothing else. */
  | "refused"
  /** An error that says that it may have been executed. */
  | "unknown"
  /** An error that says that it was executed, and that the result is lost. */
  | "executed"
  /** The connection of its client broke: as with `unknown`, its client has to find out. */
  | "broken"
  /** No answer within its deadline. */
  | "lost"

/** How a request was passed on by the load balancer. */
export interface Hop {
  readonly at: number
  readonly node: string
  readonly said: string
}

export interface Call {
  readonly id: string
  readonly client: string
  readonly era: Era
  readonly server: string
  readonly tool: string
  readonly ms: number
  readonly session: string | undefined
  readonly began: number
  readonly hops: Array<Hop>
  ended?: number
  outcome?: Outcome
  /** What the client was told. */
  text?: string
}

export interface Calls {
  readonly begin: (call: Omit<Call, "id" | "began" | "hops">) => Call
  readonly end: (call: Call, outcome: Outcome, text: string) => void
  readonly of: (id: string) => Call | undefined
  /** The call of a session that is not answered: a client makes one at a time. */
  readonly ofSession: (session: string) => Call | undefined
  readonly all: () => ReadonlyArray<Call>
  readonly open: () => number
}

const TEXT_KEPT = 400

export const makeCalls = (): Calls => {
  const calls = new Map<string, Call>()
  const ofSessions = new Map<string, Call>()
  let open = 0
  return {
    begin: (given) => {
      const call: Call = { ...given, id: `c${calls.size + 1}`, began: Date.now(), hops: [] }
      calls.set(call.id, call)
      if (call.session !== undefined) ofSessions.set(call.session, call)
      open++
      return call
    },
    end: (call, outcome, text) => {
      open--
      if (call.session !== undefined) ofSessions.delete(call.session)
      call.ended = Date.now()
      call.outcome = outcome
      // The result of a call that went well is long, and tells nothing.
      if (outcome !== "success") call.text = text.slice(0, TEXT_KEPT)
      else call.hops.length = Math.min(call.hops.length, 2)
    },
    of: (id) => calls.get(id),
    ofSession: (session) => ofSessions.get(session),
    all: () => [...calls.values()],
    open: () => open
  }
}
