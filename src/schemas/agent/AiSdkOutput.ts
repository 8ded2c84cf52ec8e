/** Converts a result for a model behind the AI SDK. Plain text stays plain text, the one form that every provider accepts. */
import type { ToolResult } from "../call/Tool.ts"

type Part = { type: "text"; text: string } | { type: "file"; data: { type: "data"; data: string }; mediaType: string }

export type AiSdkOutput = { type: "text" | "error-text"; value: string } | { type: "content"; value: Array<Part> }

export const toAiSdkOutput = ({ content, isError }: ToolResult): AiSdkOutput => {
  if (content.every((block) => block.type === "text")) {
    const value = content.map((block) => block.text).join("\n")
    return { type: isError ? "error-text" : "text", value: value === "" ? "(no content)" : value }
  }
  return {
    type: "content",
    value: content.map((block) =>
      block.type === "text"
        ? { type: "text", text: block.text }
        : { type: "file", data: { type: "data", data: block.data }, mediaType: block.mimeType }
    )
  }
}
