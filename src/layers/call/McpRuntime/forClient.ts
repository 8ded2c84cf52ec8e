/** As whom a call is known: the limits of a server, and the store of results, know its agent or one of the clients of its agent. */
import type { CallOptions } from "../../../services/call/McpRuntime.ts"

interface OfClient {
  readonly client?: string | undefined
}

/** What stands for an agent, as it stands for one of its clients: the same object for each call of that client. */
export const makeForClient = <A extends OfClient & object>() => {
  const known = new WeakMap<A, Map<string, A>>()
  return <B extends A>(ofAgent: B, { client }: CallOptions): B => {
    if (client === undefined) return ofAgent
    const clients = known.get(ofAgent) ?? new Map<string, A>()
    known.set(ofAgent, clients)
    const made = (clients.get(client) as B | undefined) ?? { ...ofAgent, client }
    clients.set(client, made)
    return made
  }
}
