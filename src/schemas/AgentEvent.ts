/** What an agent does while it answers, as every front (terminal, editor, MCP client) sees it. */
import type { ToolResult } from "./Tool.ts"

export type AgentEvent =
  | { readonly _tag: "Text"; readonly delta: string }
  | { readonly _tag: "Thought"; readonly delta: string }
  | {
      readonly _tag: "ToolCall"
      readonly id: string
      readonly name: string
      readonly args: Readonly<Record<string, unknown>>
    }
  | { readonly _tag: "ToolResult"; readonly id: string; readonly name: string; readonly result: ToolResult }
  /** A word from the gateway itself, not from the model. */
  | { readonly _tag: "Notice"; readonly text: string }
  | {
      readonly _tag: "Done"
      readonly reason: "stop" | "steps" | "length" | "other"
      readonly inputTokens: number | undefined
      readonly outputTokens: number | undefined
    }
