/** What is said in place of a result, and of errors in the log. */
import { ERROR_TEXT_MAX_CHARS } from "../../schemas/defaults/Results.ts"
import type { HostToolResult } from "./openclawApi.ts"

/** Nothing of the result is left: what could not be made safe is not shown. */
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

/** For a line of the log: what went wrong may have been said by anybody. */
export const shown = (text: string) => text.slice(0, ERROR_TEXT_MAX_CHARS).replace(/[\p{C}\p{Zl}\p{Zp}]/gu, "?")

/** Whatever was thrown, this throws nothing. */
export const reasonOf = (error: unknown) =>
  error instanceof Error && typeof error.message === "string" ? shown(error.message) : "what was thrown is no error"
