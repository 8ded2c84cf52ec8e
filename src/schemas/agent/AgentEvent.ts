/** What an agent does while it answers, as every front (terminal, editor, MCP client) sees it. */
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
      /** For people; left out for a tool that is not known. */
      readonly title?: string | undefined
      /** From what its server says of it: to be shown, never to decide by. */
      readonly kind?: ToolKind | undefined
    }
  /** A running call shows that it is alive. Some are left out where they come faster than they are taken. */
  | { readonly _tag: "ToolProgress"; readonly id: string; readonly name: string; readonly progress: Progress }
  | { readonly _tag: "ToolResult"; readonly id: string; readonly name: string; readonly result: ToolResult }
  /** What one step of the model took: what it read, which is the whole conversation so far, and what it wrote. */
  | { readonly _tag: "Usage"; readonly inputTokens: number | undefined; readonly outputTokens: number | undefined }
  /** What the agent gives beside its words. */
  | {
      readonly _tag: "Media"
      readonly mediaType: string
      /** Base64. */
      readonly data: string
      /** Cleaned. */
      readonly name: string | undefined
    }
  /** A word from the gateway itself, not from the model. */
  | {
      readonly _tag: "Notice"
      readonly text: string
      /** It is so just now, and no part of the answer. */
      readonly passing?: true | undefined
      /** It says why nothing came of the message. */
      readonly failed?: true | undefined
    }
  | {
      readonly _tag: "Done"
      /** `failed`: the message was a command that failed, or there is no model that it could go to. */
      readonly reason: "stop" | "steps" | "length" | "refusal" | "failed" | "other"
      readonly inputTokens: number | undefined
      readonly outputTokens: number | undefined
    }
