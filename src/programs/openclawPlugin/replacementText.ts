/** Texts that replace a result, and texts of errors for the log. */
import { ERROR_TEXT_MAX_CHARS } from "../../schemas/defaults/Results.ts"
import type { HostToolResult } from "./openclawApi.ts"

/** A result that could not be made safe is not shown at all. */
export const WITHHELD: HostToolResult = {
  content: [
    {
      type: "text",
      text: "The result of this tool is withheld: it could not be made safe to show. The gateway's log says more."
    }
  ],
  details: { status: "error" }
}

export const STOPPING: HostToolResult = {
  content: [{ type: "text", text: "The MCP servers cannot be used: the gateway is stopping." }],
  details: { status: "error" }
}

/** For a line of the log. The error text may come from anywhere. */
export const shown = (text: string) => text.slice(0, ERROR_TEXT_MAX_CHARS).replace(/[\p{C}\p{Zl}\p{Zp}]/gu, "?")

/** Never throws, whatever was thrown. */
export const reasonOf = (error: unknown) =>
  error instanceof Error && typeof error.message === "string" ? shown(error.message) : "what was thrown is no error"
