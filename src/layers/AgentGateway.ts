/**
 * The agents that live in this process. `embedded` is the built-in one: direct commands, and a conversation with a model
 * that uses the tools of its `McpRuntime` and of its session. `scripted` does what a test tells it to. Tools are read anew
 * for each message, so servers that come and go are noticed.
 */
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import type { ConfigError } from "../schemas/ConfigError.ts"
import { dataDirectory } from "../schemas/DataDirectory.ts"
import { AgentGateway } from "../services/AgentGateway.ts"
import type { ConfigSource } from "../services/ConfigSource.ts"
import type { ContentSanitizer } from "../services/ContentSanitizer.ts"
import type { McpRuntime } from "../services/McpRuntime.ts"
import type { ModelSource } from "../services/ModelSource.ts"
import { Redactor } from "../services/Redactor.ts"
import type { SessionTools } from "../services/SessionTools.ts"
import { makeConversations } from "./AgentGateway/conversations.ts"
import { makeFiles } from "./AgentGateway/files.ts"
import { makeGateway } from "./AgentGateway/gateway.ts"
import { makeRespond } from "./AgentGateway/respond.ts"
import { makeScripted, type Script } from "./AgentGateway/scripted.ts"

export type { Script, Step } from "./AgentGateway/scripted.ts"

export interface Options {
  /** The data directory; `$MCP_LIVE_HOME`, else `~/.mcp-live`, when left out. */
  readonly directory?: string | undefined
}

const keptConversations = ({ directory = dataDirectory() }: Options) =>
  Effect.map(Redactor, ({ redact }) => makeConversations({ files: makeFiles(directory, redact) }))

type Embedded = McpRuntime | SessionTools | ModelSource | ContentSanitizer | ConfigSource

/** Conversations last as long as the process. */
export const layerEmbedded: Layer.Layer<AgentGateway, ConfigError, Embedded> = Layer.effect(
  AgentGateway,
  Effect.flatMap(makeRespond, (respond) => makeGateway(respond, makeConversations()))
)

/** Conversations are kept in the data directory, and are there again in the next process. */
export const layerEmbeddedKept = (options: Options = {}): Layer.Layer<AgentGateway, ConfigError, Embedded | Redactor> =>
  Layer.effect(
    AgentGateway,
    Effect.gen(function* () {
      return yield* makeGateway(yield* makeRespond, yield* keptConversations(options))
    })
  )

/** With a directory its conversations are kept there, as those of the built-in agent. */
export const layerScripted = (
  script: Script,
  options?: Options
): Layer.Layer<AgentGateway, never, McpRuntime | SessionTools | Redactor> =>
  Layer.effect(
    AgentGateway,
    Effect.gen(function* () {
      const conversations = options === undefined ? makeConversations() : yield* keptConversations(options)
      return yield* makeGateway(makeScripted(script), conversations)
    })
  )
