/** What one caller may use: the rules of its agent and of the server first, then the rules of clients, which never widen them. */
import { grantsOf, mayReach, mayUse, type Matched, type Standing } from "../../../schemas/login/Standing.ts"
import { approversOf } from "../../../schemas/call/Approvers.ts"
import type { Caller } from "../../../schemas/call/Caller.ts"
import { isOwn } from "../../../schemas/connection/Isolation.ts"
import type { Ruling } from "../../../services/call/CallerRules.ts"
import type { Decision, ToolPolicy } from "../../../services/call/ToolPolicy.ts"
import type { AgentServer } from "./AgentServer.ts"
import { RUNTIME } from "./OwnTool.ts"
import { decide, type Route } from "./Route.ts"

type Policy = ToolPolicy["Service"]

const denied = (rule: string): Decision => ({ allowed: false, rule })

const NOT_LET_IN = denied("clients.rules: no rule lets this client in")
const NOT_ALLOWED = denied("clients.rules: no rule allows it")

const concernedBy = ({ matched }: Standing, { server }: Route): ReadonlyArray<Matched> =>
  matched.filter(({ rule }) => (server === undefined ? rule.isEverywhere : rule.covers(server.config.name)))

const ofClients = (policy: Policy, standing: Standing, route: Route): Decision => {
  if (!standing.isLetIn) return NOT_LET_IN
  const { server, subject } = route
  const concerned = concernedBy(standing, route)
  let asked: Decision | undefined
  for (const { place, rule } of concerned) {
    const restricted = policy.decide(rule.restricts, subject)
    if (!restricted.allowed) return denied(`${place}: ${restricted.rule}`)
    if (restricted.ask === true) asked = asking(asked, { ...restricted, rule: `${place}: ${restricted.rule}` })
  }
  // Tools of the whole runtime give no access that their parts do not have.
  const isAllowed =
    server === undefined || concerned.some((one) => grantsOf(one) && policy.decide(one.rule.allows, subject).allowed)
  // Those of a server read its resources.
  const isReached = server === undefined || route._tag === "ServerRoute" || mayReach(standing, server.config.name)
  if (!isAllowed || !isReached) return NOT_ALLOWED
  return asked ?? { allowed: true, rule: "clients.rules" }
}

/** Both ask: approvers of either are approvers, and the rule that names some says more. */
const asking = (one: Decision | undefined, other: Decision): Decision => {
  if (one?.ask !== true) return other
  const approvers = approversOf(one.approvers, other.approvers)
  const told = one.approvers === undefined && approvers !== undefined ? other : one
  return approvers === undefined ? told : { ...told, approvers }
}

/** Both: whoever denies wins, and whoever asks. */
const both = (own: Decision, theirs: () => Decision): Decision => {
  if (!own.allowed) return own
  const other = theirs()
  if (!other.allowed) return other
  return other.ask === true ? asking(own, other) : own
}

/** A call, as it was decided. */
interface Decided {
  readonly route: Route
  readonly decision: Decision
  readonly standing: Standing | undefined
}

export interface Standings {
  /** `undefined` for a caller who is subject to no rules of clients. */
  readonly of: (caller: Caller | undefined) => Standing | undefined
  readonly decide: (standing: Standing | undefined, route: Route) => Decision
  /** Whether the rules of clients have changed since a call was decided, and would not let it pass as it did. */
  readonly forbids: (call: Decided, caller: Caller | undefined) => boolean
  /** Whether anything of a server is granted, so that its results may be read on. */
  readonly isOpen: (caller: Caller | undefined, server: string) => boolean
  /** Why resources and prompts of a server are out of reach. */
  readonly refusedAt: (caller: Caller | undefined, server: string) => Decision | undefined
  /** Why a server of the caller's own is not started for them: the rules let them use nothing of it. */
  readonly unstarted: (caller: Caller | undefined, server: Pick<AgentServer, "config">) => Decision | undefined
}

export const makeStandings = (policy: Policy, ruling: Ruling): Standings => {
  const known = new WeakMap<Standing, WeakMap<Route, Decision>>()
  const of = (caller: Caller | undefined) => (caller?.identity === undefined ? undefined : ruling.of(caller.identity))
  const decideFor = (standing: Standing | undefined, route: Route): Decision => {
    if (standing === undefined) return decide(policy, route)
    const decisions = known.get(standing) ?? new WeakMap<Route, Decision>()
    known.set(standing, decisions)
    const before = decisions.get(route)
    if (before !== undefined) return before
    const made = both(decide(policy, route), () => ofClients(policy, standing, route))
    decisions.set(route, made)
    return made
  }
  const refusal = ({ isLetIn }: Standing) => (isLetIn ? NOT_ALLOWED : NOT_LET_IN)
  return {
    of,
    decide: decideFor,
    forbids: ({ decision, route, standing }, caller) => {
      const now = of(caller)
      if (now === standing) return false
      const { allowed, approvers, ask } = decideFor(now, route)
      if (!allowed || ask !== true) return !allowed
      return decision.ask !== true || !(approvers ?? []).every((one) => decision.approvers?.includes(one) === true)
    },
    isOpen: (caller, server) => {
      const standing = of(caller)
      return (
        standing === undefined ||
        server === RUNTIME ||
        standing.matched.some((one) => grantsOf(one) && one.rule.covers(server))
      )
    },
    refusedAt: (caller, server) => {
      const standing = of(caller)
      return standing === undefined || mayReach(standing, server) ? undefined : refusal(standing)
    },
    unstarted: (caller, { config }) => {
      const standing = isOwn(config) ? of(caller) : undefined
      return standing === undefined || mayUse(standing, config) ? undefined : refusal(standing)
    }
  }
}
