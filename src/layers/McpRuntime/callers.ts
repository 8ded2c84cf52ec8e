/** As whom a call is known: the limits of a server, and the store of results, know its agent or one of the clients of its agent. */
import type { Caller } from "../../services/CallLimiter.ts"
import type { CallOptions } from "../../services/McpRuntime.ts"
import type { Origin } from "../../schemas/Origin.ts"
import type { AgentServer } from "./AgentServer.ts"

/** Gives the same one for each call of a client. */
export const makeCallers = () => {
  const known = new WeakMap<Caller, Map<string, Caller>>()
  return ({ caller }: AgentServer, { client }: CallOptions): Caller => {
    if (client === undefined) return caller
    const clients = known.get(caller) ?? new Map<string, Caller>()
    known.set(caller, clients)
    const made = clients.get(client) ?? { ...caller, client }
    clients.set(client, made)
    return made
  }
}

/** What a client has asked for is kept as its own. */
export const originFor = <O extends Origin>(origin: O, { client }: CallOptions): O =>
  client === undefined ? origin : { ...origin, client }
