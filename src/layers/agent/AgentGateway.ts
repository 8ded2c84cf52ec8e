/**
 * The agents behind the fronts. `embedded` is the built-in one: direct commands, and a conversation with a model
 * that uses the tools of its `McpRuntime` and of its session. `openclaw` is the agent of a real OpenClaw gateway. `scripted` does what a test
 * tells it to. Tools are read anew for each message, so servers that come and go are noticed.
 */
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import type { ConfigError } from "../../schemas/config/ConfigError.ts"
import { dataDirectory } from "../../schemas/config/DataDirectory.ts"
import { AgentGateway } from "../../services/agent/AgentGateway.ts"
import type { ConfigSource } from "../../services/config/ConfigSource.ts"
import type { ContentSanitizer } from "../../services/content/ContentSanitizer.ts"
import type { GatewayLink } from "../../services/agent/GatewayLink.ts"
import type { McpRuntime } from "../../services/call/McpRuntime.ts"
import type { ModelSource } from "../../services/agent/ModelSource.ts"
import { Redactor } from "../../services/content/Redactor.ts"
import type { SessionToolInjector } from "../../services/agent/SessionToolInjector.ts"
import type { SessionTools } from "../../services/agent/SessionTools.ts"
import { makeConversations } from "./AgentGateway/conversations.ts"
import { makeFiles } from "./AgentGateway/conversationFiles.ts"
import { makeGateway } from "./AgentGateway/gateway.ts"
import { makeOpenClaw, type GatewayOptions } from "./AgentGateway/openclaw/gateway.ts"
import { makeRespond } from "./AgentGateway/respond.ts"
import { makeScripted, type Script } from "./AgentGateway/scripted.ts"

export { survey as surveyConversations } from "./AgentGateway/conversationCount.ts"
export type { Script, Step } from "./AgentGateway/scripted.ts"

/** Where conversations are kept. */
export interface Options {
  /** The data directory; `$MCP_LIVE_HOME`, else `~/.mcp-live`, when left out. */
  readonly directory?: string | undefined
}

const keptConversations = ({ directory = dataDirectory() }: Options, backend?: string) =>
  Effect.flatMap(Redactor, ({ redact }) => makeConversations({ files: makeFiles(directory, redact), backend }))

/** An agent of it that was named has conversations of its own. */
const backendOf = (place: string, agent: string | undefined): string =>
  ["openclaw", place, ...(agent === undefined ? [] : [agent.toLowerCase()])].join(" ")

type Embedded = McpRuntime | SessionTools | ModelSource | ContentSanitizer | ConfigSource

/** Conversations last as long as the process. */
export const layerEmbedded: Layer.Layer<AgentGateway, ConfigError, Embedded> = Layer.effect(
  AgentGateway,
  Effect.gen(function* () {
    return yield* makeGateway(yield* makeRespond, yield* makeConversations())
  })
)

/** Conversations are kept in the data directory, and are there again in the next process. */
export const layerEmbeddedKept = (options: Options = {}): Layer.Layer<AgentGateway, ConfigError, Embedded | Redactor> =>
  Layer.effect(
    AgentGateway,
    Effect.gen(function* () {
      return yield* makeGateway(yield* makeRespond, yield* keptConversations(options))
    })
  )

/** How the OpenClaw gateway is reached, and where its conversations are noted. */
export interface OpenClawOptions extends Options, Omit<GatewayOptions, "directory"> {
  /** Which gateway it is: its conversations are told from those of others by that. */
  readonly place?: string | undefined
}

/** Conversations are kept in the data directory, and at the gateway. */
export const layerOpenClaw = ({
  directory = dataDirectory(),
  place = "",
  ...options
}: OpenClawOptions): Layer.Layer<
  AgentGateway,
  never,
  McpRuntime | SessionTools | GatewayLink | SessionToolInjector | ContentSanitizer | Redactor
> =>
  Layer.effect(
    AgentGateway,
    Effect.flatMap(keptConversations({ directory }, backendOf(place, options.agent)), (conversations) =>
      makeOpenClaw({ ...options, directory }, conversations)
    )
  )

/** Where and for whom the scripted agent keeps conversations. */
export interface ScriptedOptions extends Options {
  /** Whose conversations they are; the built-in agent's when left out. */
  readonly backend?: string | undefined
}

/** With a directory its conversations are kept there. */
export const layerScripted = (
  script: Script,
  options?: ScriptedOptions
): Layer.Layer<AgentGateway, never, McpRuntime | SessionTools | Redactor> =>
  Layer.effect(
    AgentGateway,
    Effect.gen(function* () {
      const conversations = yield* options === undefined
        ? makeConversations()
        : keptConversations(options, options.backend)
      return yield* makeGateway(makeScripted(script), conversations)
    })
  )
