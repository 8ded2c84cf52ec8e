/** The rules of clients for clients over HTTP: whom they let in, and who a client is at each of its requests. */
import { callerWith, type Caller } from "../schemas/call/Caller.ts"
import type { GatewayConfig } from "../schemas/config/GatewayConfig.ts"
import type { ServerConfig } from "../schemas/connection/ServerConfig.ts"
import { memoUpTo } from "../schemas/data/Memo.ts"
import { SERVE_CLIENTS_MAX } from "../schemas/defaults/Serve.ts"
import { makeJudge, mayUse } from "../schemas/login/Standing.ts"
import { DEFAULT_CLIENTS } from "../schemas/login/ClientsConfig.ts"
import { identityOfToken, type Identity } from "../schemas/login/Identity.ts"
import type { HttpOptions, McpClient } from "../services/listener/McpListener.ts"

const ofToken = memoUpTo(SERVE_CLIENTS_MAX, identityOfToken)

export const makeClientRules = (config: () => GatewayConfig) => {
  const rules = () => (config().clients ?? DEFAULT_CLIENTS).rules
  const judge = makeJudge(rules)

  const admits: NonNullable<HttpOptions["admits"]> = ({ agent, identity, principal }) => {
    const standing = judge(identity ?? ofToken(principal))
    if (standing === undefined) return { agent }
    return standing.isLetIn ? { agent: standing.agent ?? agent } : undefined
  }

  /** The same object until the client comes with another token. */
  const callerOf = ({ identity: first, latest = () => first, principal }: McpClient): (() => Caller) => {
    const now = (): Identity => latest() ?? ofToken(principal)
    let identity = now()
    let caller = callerWith(principal, identity)
    return () => {
      const next = now()
      if (next !== identity) {
        identity = next
        caller = callerWith(principal, next)
      }
      return caller
    }
  }

  return {
    admits,
    callerOf,
    /** Whether a rule gives a client this agent. */
    names: (agent: string): boolean => rules().some((rule) => rule.agent === agent),
    /** Whether a client may know that there is this server. */
    shows: ({ identity }: Caller, server: ServerConfig): boolean => {
      const standing = identity === undefined ? undefined : judge(identity)
      return standing === undefined || mayUse(standing, server)
    }
  }
}
