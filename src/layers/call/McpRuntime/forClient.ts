/** Derives the identity of a client from that of its agent, for the limits of a server and the result store. */
import { CLIENT_IDENTITIES_MAX } from "../../../schemas/defaults/Clients.ts"
import { memoOf } from "../../../schemas/data/Memo.ts"
import { makeRecent } from "../../../schemas/data/Newest.ts"
import type { AskOptions } from "../../../services/call/McpRuntime.ts"

interface OfClient {
  readonly client?: string | undefined
}

/**
 * Derives the object for a client from the agent's; the same one for each call of that client, as long as not too many others have called
 * since. Nothing depends on that: it saves what others keep for each object.
 */
export const makeForClient = <A extends OfClient & object>() => {
  const recent = memoOf((_ofAgent: A) => makeRecent<A>(CLIENT_IDENTITIES_MAX))
  return <B extends A>(ofAgent: B, { caller }: AskOptions): B => {
    const client = caller?.client
    return client === undefined ? ofAgent : (recent(ofAgent)(client, () => ({ ...ofAgent, client })) as B)
  }
}
