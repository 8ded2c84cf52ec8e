/**
 * The agents behind the entry points. `embedded` is the built-in one: direct commands, and a conversation with a model that
 * uses the tools of its `McpRuntime` and of its session. `openclaw` is the agent of an OpenClaw gateway. `scripted` follows a
 * test's script. Tools are read again for each message, so that changes of servers are noticed.
 */
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import type { ConfigError } from "../../schemas/config/ConfigError.ts"
import { dataDirectory } from "../../schemas/config/DataDirectory.ts"
import { AgentGateway } from "../../services/agent/AgentGateway.ts"
import { ConversationStore } from "../../services/agent/ConversationStore.ts"
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
import { makeStored } from "./AgentGateway/storedConversations.ts"
import { makeScripted, type Script } from "./AgentGateway/scripted.ts"

export { conversationsIn } from "./AgentGateway/ofPeople.ts"
export { survey as surveyConversations } from "./AgentGateway/conversationCount.ts"
export type { Script, Step } from "./AgentGateway/scripted.ts"

/** Where conversations are stored. */
export interface Options {
  /** The data directory. Default: `$MCP_LIVE_HOME`, else `~/.mcp-live`. */
  readonly directory?: string | undefined
}

const keptConversations = ({ directory = dataDirectory() }: Options, backend?: string) =>
  Effect.flatMap(Redactor, ({ redact }) => makeConversations({ files: makeFiles(directory, redact), backend }))

/** Each named agent of a gateway has its own conversations. */
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

/** Stores conversations in the data directory; later processes have them, too. */
export const layerEmbeddedKept = (options: Options = {}): Layer.Layer<AgentGateway, ConfigError, Embedded | Redactor> =>
  Layer.effect(
    AgentGateway,
    Effect.gen(function* () {
      return yield* makeGateway(yield* makeRespond, yield* keptConversations(options))
    })
  )

/** Stores conversations where `ConversationStore` says; who else shares the store has them, too. */
export const layerEmbeddedStored: Layer.Layer<AgentGateway, ConfigError, Embedded | Redactor | ConversationStore> =
  Layer.effect(
    AgentGateway,
    Effect.gen(function* () {
      const { redact } = yield* Redactor
      const files = makeStored(yield* ConversationStore, redact)
      return yield* makeGateway(yield* makeRespond, yield* makeConversations({ files }))
    })
  )

/** The OpenClaw gateway, and where its conversations are recorded. */
export interface OpenClawOptions extends Options, Omit<GatewayOptions, "directory"> {
  /** Identifies the gateway, to keep its conversations apart from others. */
  readonly place?: string | undefined
}

/** Stores conversations in the data directory, in addition to the gateway. */
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

/** Where the scripted agent stores conversations, and as whose. */
export interface ScriptedOptions extends Options {
  /** The owner of the conversations. Default: the built-in agent. */
  readonly backend?: string | undefined
}

/** With a directory, conversations are stored there. */
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
