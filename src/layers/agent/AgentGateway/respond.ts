/**
 * How the built-in agent answers one message: a direct command, or a conversation with a model that uses the tools of the
 * agent and the session. Errors of the provider become sentences, without keys.
 */
import type { ModelMessage, UserContent } from "ai"
import * as Effect from "effect/Effect"
import type * as Scope from "effect/Scope"
import type { AgentEvent } from "../../../schemas/agent/AgentEvent.ts"
import { ERROR_TEXT_MAX_CHARS } from "../../../schemas/defaults/Results.ts"
import type { GatewayConfig, ModelConfig } from "../../../schemas/config/GatewayConfig.ts"
import { GatewayError } from "../../../schemas/agent/GatewayError.ts"
import { textOf, type UserPart } from "../../../schemas/agent/UserMessage.ts"
import { ConfigSource } from "../../../services/config/ConfigSource.ts"
import { ContentSanitizer } from "../../../services/content/ContentSanitizer.ts"
import { ModelSource, type OpenModel } from "../../../services/agent/ModelSource.ts"
import { answer, type Turn } from "./answer.ts"
import { fromFile, isSound, toldOf, type Part } from "./attached.ts"
import { parseCommand, runCommand } from "./commands.ts"
import type { Respond, Talk } from "./gateway.ts"
import { fromPrompt } from "./promptMessage.ts"
import { withResources } from "./resources.ts"

const ended = (reason: "stop" | "failed"): AgentEvent => ({
  _tag: "Done",
  reason,
  inputTokens: undefined,
  outputTokens: undefined
})

/** A command reports by events, including its failure. */
const hasFailed = (event: AgentEvent): boolean =>
  (event._tag === "Notice" && event.failed === true) || (event._tag === "ToolResult" && event.result.isError)

const MODEL = `"model": { "id": "anthropic/claude-sonnet-4-5" }`

/** Within 80 columns, except for the name of the file. */
const howToConfigure = ({ absent, file }: GatewayConfig) =>
  `No model is configured, so I can only run commands (/help). To talk to a model,
${
  absent === true
    ? `write ${file}:\n  { "agents": { "defaults": {\n    ${MODEL} } } }`
    : `add to ${file}:\n  "agents": { "defaults": { ${MODEL} } }`
}
and set ANTHROPIC_API_KEY. The id can also be "openai/…", with OPENAI_API_KEY,
or "ollama/llama3.2", a local model without a key. For any other server that is
compatible with OpenAI:
  "model": { "id": "…", "baseUrl": "http://127.0.0.1:8000/v1",
             "apiKey": "secret://env/MY_KEY" }`

/** A stopped answer: what is complete stays in the conversation, so that the next message can refer to it. */
const stopped = (turn: Turn): ReadonlyArray<ModelMessage> => [
  ...turn.finished,
  { role: "assistant", content: `${turn.partial} [stopped by the user]`.trim() }
]

/**
 * Plain text if there is nothing else: the one form that every model accepts. Large files are handled one by one, because
 * each takes a while.
 */
const contentOf = (
  parts: ReadonlyArray<UserPart>,
  open: OpenModel,
  sounds: boolean
): Effect.Effect<UserContent, never, Scope.Scope> =>
  parts.every((part) => part.type === "text")
    ? Effect.succeed(textOf(parts))
    : Effect.forEach(parts, (part) =>
        part.type === "text"
          ? Effect.succeed<Part>({ type: "text", text: part.text })
          : !sounds && isSound(part)
            ? Effect.sync(() => toldOf(part))
            : Effect.andThen(Effect.yieldNow, fromFile(part, open.inPlaceOf ?? Effect.succeed))
      )

/** The note after a model has refused sounds. */
const SOUNDS_REFUSED = "The model refuses sounds, so it was only told that there are some."

export const makeRespond = Effect.gen(function* () {
  const models = yield* ModelSource
  const sanitizer = yield* ContentSanitizer
  const { load } = yield* ConfigSource
  const loaded = yield* load
  /** What counts for a message is what is configured when it comes. */
  const present = Effect.orElseSucceed(load, () => loaded)
  let directCalls = 0

  const ask = Effect.fnUntraced(function* (
    model: ModelConfig,
    asked: (open: OpenModel) => Effect.Effect<UserContent, never, Scope.Scope>,
    talk: Talk,
    /** The same message without what the model may have refused. */
    instead?: (open: OpenModel) => Effect.Effect<UserContent, never, Scope.Scope>
  ): Effect.fn.Return<void, GatewayError, Scope.Scope> {
    const opened = yield* models.open(model)
    const content = yield* asked(opened)
    const ai = yield* Effect.promise(() => import("ai"))
    const tools = yield* talk.runtime.tools
    const resources = yield* talk.runtime.resourceContext
    const question: ModelMessage = { role: "user", content }
    const messages = withResources([...(talk.history() as ReadonlyArray<ModelMessage>), question], resources)
    const turn: Turn = { finished: [], partial: "" }
    const keep = (answered: ReadonlyArray<ModelMessage>) => Effect.sync(() => talk.keep([question, ...answered]))

    const { calls, emit, modelAsked } = talk
    const outcome = yield* answer({ ai, open: opened, calls, tools, messages, turn, emit, modelAsked }).pipe(
      Effect.onInterrupt(() => keep(stopped(turn))),
      Effect.catch((error) => {
        const failure = opened.explain(error)
        if (instead !== undefined && !failure.passing && turn.finished.length === 0 && turn.partial === "") {
          return Effect.andThen(
            Effect.suspend(() => ask(model, instead, talk)),
            Effect.as(talk.emit({ _tag: "Notice", text: SOUNDS_REFUSED }), "instead" as const)
          )
        }
        // After a temporary failure the finished steps are worth keeping; a rejected message would be rejected again each
        // time, and is dropped.
        const kept = failure.passing && turn.finished.length > 0 ? keep(turn.finished) : Effect.void
        return Effect.andThen(kept, new GatewayError({ detail: failure.sentence }))
      })
    )
    if (outcome !== "instead") yield* keep(turn.finished)
  }, Effect.scoped)

  const respondWith = (config: GatewayConfig, ...[message, talk]: Parameters<Respond>): ReturnType<Respond> => {
    const { calls, columns, emit, forget, forModel, look, runtime } = talk
    const modelConfig = config.agents.find(({ id }) => id === runtime.agent)?.model
    // A message with attachments is not a command.
    const [first, ...others] = message
    const command = others.length === 0 && first?.type === "text" ? parseCommand(first.text) : undefined
    if (command !== undefined) {
      let failed = false
      const noted = (event: AgentEvent) => {
        failed ||= hasFailed(event)
        return emit(event)
      }
      const nextId = () => `direct-${++directCalls}`
      const clean = (text: string) => sanitizer.label(text, ERROR_TEXT_MAX_CHARS)
      const shown = (text: string) => (forModel ? sanitizer.wrap(text, { server: "mcp-live" }).text : text)
      const hasModel = modelConfig !== undefined
      const reader = forModel ? "model" : "person"
      return Effect.flatMap(
        runCommand(command, {
          runtime,
          calls,
          columns,
          emit: noted,
          nextId,
          forget,
          clean,
          look,
          reader,
          shown,
          hasModel
        }),
        (prompt): Effect.Effect<unknown, GatewayError> =>
          prompt === undefined || modelConfig === undefined
            ? emit(ended(failed ? "failed" : "stop"))
            : ask(modelConfig, () => Effect.succeed(fromPrompt(prompt)), talk)
      )
    }
    if (modelConfig === undefined) {
      return Effect.andThen(emit({ _tag: "Notice", text: howToConfigure(config), failed: true }), emit(ended("failed")))
    }
    const hasSounds = message.some((part) => part.type !== "text" && isSound(part))
    const without = hasSounds ? (opened: OpenModel) => contentOf(message, opened, false) : undefined
    return ask(modelConfig, (opened) => contentOf(message, opened, true), talk, without)
  }
  const respond: Respond = (message, talk) => Effect.flatMap(present, (config) => respondWith(config, message, talk))
  return respond
})
