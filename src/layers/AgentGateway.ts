/**
 * The built-in agent: direct commands, and a conversation with a model that uses the tools of its `McpRuntime`. Tools are
 * read anew for each message, so servers that come and go are noticed. What a provider answers to us is turned into
 * sentences; keys never appear in them.
 */
import type { ModelMessage, UserContent } from "ai"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Queue from "effect/Queue"
import * as Stream from "effect/Stream"
import type { AgentEvent } from "../schemas/AgentEvent.ts"
import { ERROR_TEXT_MAX_CHARS } from "../schemas/Defaults.ts"
import type { ModelConfig } from "../schemas/GatewayConfig.ts"
import { GatewayError } from "../schemas/GatewayError.ts"
import { AgentGateway } from "../services/AgentGateway.ts"
import { ConfigSource } from "../services/ConfigSource.ts"
import { ContentSanitizer } from "../services/ContentSanitizer.ts"
import { McpRuntime } from "../services/McpRuntime.ts"
import { ModelSource } from "../services/ModelSource.ts"
import { answer } from "./AgentGateway/answer.ts"
import type { Turn } from "./AgentGateway/answer.ts"
import { parseCommand, runCommand } from "./AgentGateway/commands.ts"
import { fromPrompt } from "./AgentGateway/promptMessage.ts"
import type { Conversation } from "./AgentGateway/conversations.ts"
import { makeConversations } from "./AgentGateway/conversations.ts"

type Emit = (event: AgentEvent) => Effect.Effect<unknown>

const done: AgentEvent = { _tag: "Done", reason: "stop", inputTokens: undefined, outputTokens: undefined }

const howToConfigure = (
  file: string
) => `No model is configured, so I can only run commands (/help). To talk to a model, add to ${file}:
  "agents": { "defaults": { "model": { "id": "anthropic/claude-sonnet-4-5" } } }
and set ANTHROPIC_API_KEY; or "openai/…" with OPENAI_API_KEY, "ollama/llama3.2" for a local model without a key, or any
OpenAI-compatible server: "model": { "id": "…", "baseUrl": "http://127.0.0.1:8000/v1", "apiKey": "secret://env/MY_KEY" }`

/** An answer that was stopped: what is complete of it stays in the conversation, so that the next message can refer to it. */
const stopped = (turn: Turn): ReadonlyArray<ModelMessage> => [
  ...turn.finished,
  { role: "assistant", content: `${turn.partial} [stopped by the user]`.trim() }
]

const make = Effect.gen(function* () {
  const runtime = yield* McpRuntime
  const models = yield* ModelSource
  const sanitizer = yield* ContentSanitizer
  const config = yield* (yield* ConfigSource).load
  const modelConfig = config.agents.find((agent) => agent.id === runtime.agent)?.model
  const conversationOf = makeConversations()
  let directCalls = 0

  const ask = Effect.fnUntraced(function* (
    model: ModelConfig,
    conversation: Conversation,
    message: UserContent,
    emit: Emit
  ) {
    const opened = yield* models.open(model)
    const ai = yield* Effect.promise(() => import("ai"))
    const tools = yield* runtime.tools
    const messages: ReadonlyArray<ModelMessage> = [...conversation.messages, { role: "user", content: message }]
    const turn: Turn = { finished: [], partial: "" }
    const keep = (answered: ReadonlyArray<ModelMessage>) =>
      Effect.sync(() => {
        conversation.messages = [...messages, ...answered]
      })

    yield* answer({ ai, open: opened, runtime, tools, messages, turn, emit }).pipe(
      Effect.onInterrupt(() => keep(stopped(turn))),
      Effect.catch((error) => {
        const failure = opened.explain(error)
        // After a passing trouble the steps that were done are worth keeping; a message that was rejected would be
        // rejected again each time, and is forgotten.
        const kept = failure.passing && turn.finished.length > 0 ? keep(turn.finished) : Effect.void
        return Effect.andThen(kept, new GatewayError({ detail: failure.sentence }))
      })
    )
    yield* keep(turn.finished)
  })

  const respond = (conversation: Conversation, message: string, emit: Emit): Effect.Effect<unknown, GatewayError> => {
    const command = parseCommand(message)
    if (command !== undefined) {
      const nextId = () => `direct-${++directCalls}`
      const forget = () => {
        conversation.messages = []
      }
      const clean = (text: string) => sanitizer.label(text, ERROR_TEXT_MAX_CHARS)
      return Effect.flatMap(
        runCommand(command, { runtime, emit, nextId, forget, clean, hasModel: modelConfig !== undefined }),
        (prompt): Effect.Effect<unknown, GatewayError> =>
          prompt === undefined || modelConfig === undefined
            ? emit(done)
            : ask(modelConfig, conversation, fromPrompt(prompt), emit)
      )
    }
    if (modelConfig === undefined) {
      return Effect.andThen(emit({ _tag: "Notice", text: howToConfigure(config.file) }), emit(done))
    }
    return ask(modelConfig, conversation, message, emit)
  }

  return AgentGateway.of({
    send: (sessionKey, message) =>
      Stream.callback<AgentEvent, GatewayError>((queue) =>
        Effect.suspend(() => {
          const conversation = conversationOf(sessionKey)
          conversation.waiting++
          return respond(conversation, message, (event) => Queue.offer(queue, event)).pipe(
            conversation.turn.withPermit,
            Effect.ensuring(
              Effect.sync(() => {
                conversation.waiting--
              })
            ),
            Effect.andThen(Queue.end(queue)),
            Effect.withSpan("AgentGateway.send")
          )
        })
      )
  })
})

export const layerEmbedded = Layer.effect(AgentGateway, make)
