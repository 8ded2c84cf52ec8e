/** The sessions of an ACP client on top of the runtime: what `serve` needs, from the services that `McpLive` gives. */
import * as Effect from "effect/Effect"
import { randomUUID } from "node:crypto"
import { DEFAULT_ACP } from "../../schemas/AcpConfig.ts"
import { AgentGateway } from "../../services/AgentGateway.ts"
import { AgentRuntimes } from "../../services/AgentRuntimes.ts"
import { ConfigSource } from "../../services/ConfigSource.ts"
import { ContentSanitizer } from "../../services/ContentSanitizer.ts"
import { McpRuntime } from "../../services/McpRuntime.ts"
import { ResultStore } from "../../services/ResultStore.ts"
import { SessionTools } from "../../services/SessionTools.ts"
import { failed } from "./failure.ts"
import type { MakeSessions } from "./serve.ts"
import { makeSessions } from "./sessions.ts"
import { wordsOf } from "./updates.ts"

/** An `acp.contextWindow` of 0 means that nobody has said. */
export const sessionsFor = Effect.fnUntraced(function* ({ notices, ...door }: Parameters<MakeSessions>[0]) {
  const config = yield* Effect.mapError((yield* ConfigSource).load, ({ message }) => failed(message))
  const { acp = DEFAULT_ACP } = config
  const store = yield* ResultStore
  const runtime = yield* McpRuntime
  return yield* makeSessions(
    {
      client: {
        ...door,
        words: wordsOf,
        shows: {
          notices,
          contextWindow: acp.contextWindow,
          readKept: (handle) => Effect.map(store.read(handle), (kept) => kept?.text)
        }
      },
      acp,
      agent: runtime.agent,
      ownServers: Object.keys(yield* runtime.status),
      gateway: yield* AgentGateway,
      runtimes: yield* AgentRuntimes,
      sanitizer: yield* ContentSanitizer,
      sessionTools: yield* SessionTools
    },
    randomUUID
  )
})
