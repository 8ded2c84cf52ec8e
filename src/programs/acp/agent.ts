/** The sessions of an ACP client over the runtime: builds what `serve` needs from the services of `McpLive`. */
import * as Effect from "effect/Effect"
import { randomUUID } from "node:crypto"
import { DEFAULT_ACP } from "../../schemas/config/AcpConfig.ts"
import { AgentGateway } from "../../services/agent/AgentGateway.ts"
import { AgentRuntimes } from "../../services/call/AgentRuntimes.ts"
import { ConfigSource } from "../../services/config/ConfigSource.ts"
import { ContentSanitizer } from "../../services/content/ContentSanitizer.ts"
import { McpRuntime } from "../../services/call/McpRuntime.ts"
import { ResultStore } from "../../services/call/ResultStore.ts"
import { SessionTools } from "../../services/agent/SessionTools.ts"
import { failed } from "./failure.ts"
import type { MakeSessions } from "./connection.ts"
import type { SessionHosts } from "./services.ts"
import { makeSessions } from "./sessions.ts"
import { wordsOf } from "./updates.ts"

export interface Options {
  /** Answers what the servers of sessions ask for. Without it they are offered nothing. */
  readonly hosts?: SessionHosts | undefined
  /** The operator has named an agent: clients cannot choose another, and do not see its conversations. */
  readonly pinned?: boolean | undefined
}

/** An `acp.contextWindow` of 0 means that it is not configured. */
export const sessionsFor = Effect.fnUntraced(function* (
  { notices, ...door }: Parameters<MakeSessions>[0],
  { hosts = new Map(), pinned = false }: Options = {}
) {
  const config = yield* Effect.mapError((yield* ConfigSource).load, ({ message }) => failed(message))
  const { acp = DEFAULT_ACP } = config
  const store = yield* ResultStore
  const runtime = yield* McpRuntime
  const gateway = yield* AgentGateway
  return yield* makeSessions(
    {
      client: {
        ...door,
        words: wordsOf,
        shows: {
          notices,
          contextWindow: acp.contextWindow,
          readKept: (handle) => Effect.map(store.readAny(handle), (kept) => kept?.text)
        }
      },
      acp,
      agent: runtime.agent,
      agents: new Map(
        config.agents.flatMap(({ id, servers }) =>
          // A remote agent is not one of ours; only the agent whose rules apply here is listed.
          (pinned || gateway.elsewhere === true) && id !== runtime.agent
            ? []
            : [[id, servers.map(({ name }) => name)] as const]
        )
      ),
      hosts,
      gateway,
      runtimes: yield* AgentRuntimes,
      sanitizer: yield* ContentSanitizer,
      sessionTools: yield* SessionTools
    },
    randomUUID
  )
})
