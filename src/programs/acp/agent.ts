/** The sessions of an ACP client on top of the runtime: what `serve` needs, from the services that `McpLive` gives. */
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
  /** What servers of sessions ask their sessions for is looked up here; nothing is offered to them when left out. */
  readonly hosts?: SessionHosts | undefined
  /** The operator has named an agent: there is no choice, and what was said to others is not seen. */
  readonly pinned?: boolean | undefined
}

/** An `acp.contextWindow` of 0 means that nobody has said. */
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
          // An agent elsewhere is none of ours: only whose rules hold here is.
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
