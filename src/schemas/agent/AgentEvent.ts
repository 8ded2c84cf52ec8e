/** What an agent does while it answers, for every entry point (terminal, editor, MCP client). */
import type { Progress, ToolResult } from "../call/Tool.ts"
import type { ToolKind } from "../call/ToolKind.ts"

/** What an agent does while it answers. The last event of an answer is `Done`. */
export type AgentEvent =
  | { readonly _tag: "Text"; readonly delta: string }
  | { readonly _tag: "Thought"; readonly delta: string }
  | {
      readonly _tag: "ToolCall"
      readonly id: string
      readonly name: string
      readonly args: Readonly<Record<string, unknown>>
      /** For people; left out for an unknown tool. */
      readonly title?: string | undefined
      /** Derived from what the server says about the tool: for display only, never for a decision. */
      readonly kind?: ToolKind | undefined
    }
  /** A sign of life of a running call. Some are skipped when they come faster than they are consumed. */
  | { readonly _tag: "ToolProgress"; readonly id: string; readonly name: string; readonly progress: Progress }
  | { readonly _tag: "ToolResult"; readonly id: string; readonly name: string; readonly result: ToolResult }
  /** The tokens of one model step: input is the whole conversation so far, output is what it wrote. */
  | { readonly _tag: "Usage"; readonly inputTokens: number | undefined; readonly outputTokens: number | undefined }
  /** Media that the agent returns in addition to text. */
  | {
      readonly _tag: "Media"
      readonly mediaType: string
      /** Base64. */
      readonly data: string
      /** Cleaned. */
      readonly name: string | undefined
    }
  /** A message from the gateway itself, not from the model. */
  | {
      readonly _tag: "Notice"
      readonly text: string
      /** Only a momentary state, not part of the answer. */
      readonly passing?: true | undefined
      /** The reason why the message was not answered. */
      readonly failed?: true | undefined
    }
  | {
      readonly _tag: "Done"
      /** `failed`: the message was a command that failed, or there is no model to answer it. */
      readonly reason: "stop" | "steps" | "length" | "refusal" | "failed" | "other"
      readonly inputTokens: number | undefined
      readonly outputTokens: number | undefined
    }
