/** Derives the identity of a client from that of its agent, for the limits of a server and the result store. */
import type { AskOptions } from "../../../services/call/McpRuntime.ts"

interface OfClient {
  readonly client?: string | undefined
}

/** Derives the object for a client from the agent's; the same one for each call of that client. */
export const makeForClient = <A extends OfClient & object>() => {
  const known = new WeakMap<A, Map<string, A>>()
  return <B extends A>(ofAgent: B, { caller }: AskOptions): B => {
    const client = caller?.client
    if (client === undefined) return ofAgent
    const clients = known.get(ofAgent) ?? new Map<string, A>()
    known.set(ofAgent, clients)
    const made = (clients.get(client) as B | undefined) ?? { ...ofAgent, client }
    clients.set(client, made)
    return made
  }
}
