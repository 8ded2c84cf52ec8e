/**
 * Agent tools and their results, in the shapes that agent loops use. `ToolResult` is what pi-agent-core's `AgentTool` returns
 * (`content` of text and image, `details`) plus `isError` and `structuredContent`.
 */
import { DEFAULT_CONTENT_POLICY, type ContentMode, type ContentPolicy } from "../content/ContentPolicy.ts"
import type { Finding } from "../content/Finding.ts"
import type { Json, JsonObject } from "../data/Json.ts"

/** Text for a model. The words of a server stand between boundaries. */
export interface TextContent {
  readonly type: "text"
  readonly text: string
}

/** An image for a model. */
export interface ImageContent {
  readonly type: "image"
  /** Base64. */
  readonly data: string
  readonly mimeType: string
}

/** One block of a result. */
export type Content = TextContent | ImageContent

/** One tool as an agent sees it: cleaned texts, and a name that every model provider accepts. */
export interface AgentTool {
  /** Matches `^[A-Za-z_][A-Za-z0-9_-]{0,63}$`. */
  readonly name: string
  readonly label: string
  readonly description: string
  /** JSON Schema of an object. */
  readonly parameters: JsonObject
  readonly server: string
  /** The server's own name of the tool, cleaned: for people and rules; calls use `name`. */
  readonly tool: string
  /** The server's own hints. They are untrusted and never grant a permission. */
  readonly annotations?: ToolAnnotations | undefined
  /** The schema of its structured content, if all texts in it are safe to show. */
  readonly outputSchema?: JsonObject | undefined
}

/** The beginning of each description, so that a model knows the server of a tool. */
export const originMark = (server: string): string => `[MCP server: ${server}] `

/** Untrusted (Tools › Tool): for people to read, never for a decision. */
export interface ToolAnnotations {
  readonly readOnlyHint?: boolean | undefined
  readonly destructiveHint?: boolean | undefined
  readonly idempotentHint?: boolean | undefined
  readonly openWorldHint?: boolean | undefined
}

/** What a server says about a linked resource. */
export interface LinkWords {
  readonly name?: string
  readonly title?: string
  readonly description?: string
  /** In bytes. */
  readonly size?: number
}

/** Content for which the agent has no type: the agent gets a sentence, programs get this. */
export interface Original {
  readonly type: "audio" | "image" | "blob" | "resource_link"
  readonly mimeType: string | undefined
  readonly uri: string | undefined
  /** Decoded bytes; 0 for a link. */
  readonly bytes: number
  /** Base64, if it fits the budget of the result. */
  readonly data?: string
  /** For `mcp_read_more` and `ResultStore.read`, if it does not fit. */
  readonly handle?: string
  /** For a link; cleaned. */
  readonly link?: LinkWords
}

/** What a program should know about a result: its source, and the findings in it. */
export interface ResultDetails {
  readonly externalContent: {
    /** False only for a server with the content mode `trusted`. */
    readonly untrusted: boolean
    readonly source: "mcp_server"
    readonly server: string
    readonly tool: string
    readonly mode: ContentMode
    /** Whether `content` contains text between boundaries. */
    readonly wrapped: boolean
  }
  /** The server's content is withheld because of `findings`; `content` is a sentence of ours. */
  readonly withheld?: true
  readonly findings: ReadonlyArray<Finding>
  /** In our own words, what did not fit the budget or the content types of the agent. */
  readonly notes: ReadonlyArray<string>
  /** Content that the agent only got a description of. */
  readonly originals?: ReadonlyArray<Original>
  /** The handle of the whole text, if `content` has only part of it. */
  readonly handle?: string
  /** The handle of structured content that did not fit. */
  readonly structuredHandle?: string
  readonly annotations?: ToolAnnotations
}

/** The part of `details` that names the source; `hasText` tells whether any text is shown. */
export const externalContent = (
  { content = DEFAULT_CONTENT_POLICY, server, tool }: ExternalOrigin,
  hasText: boolean
): ResultDetails["externalContent"] => {
  const untrusted = content.mode !== "trusted"
  return { untrusted, source: "mcp_server", server, tool, mode: content.mode, wrapped: untrusted && hasText }
}

interface ExternalOrigin {
  readonly server: string
  readonly tool: string
  readonly content?: ContentPolicy | undefined
}

/** What a program should know about a failed call; `content` has the words for the model. */
export interface ErrorDetails {
  readonly error: {
    /** Tag of the error in `McpError`, or `Defect`. */
    readonly tag: string
    readonly server: string | undefined
    readonly tool: string
    /** Whether the call may have had its effect although there is no result. */
    readonly maybeExecuted: boolean
    /** Whether a login at its server would help. */
    readonly needsLogin?: boolean | undefined
    /** The quota that is used up, in words. */
    readonly quota?: string | undefined
  }
  /** Findings in the server's own words, if any. */
  readonly findings?: ReadonlyArray<Finding>
}

/** The result of a call. A call never throws: an error is a result with `isError: true`. */
export interface ToolResult {
  readonly content: ReadonlyArray<Content>
  readonly isError: boolean
  readonly details: ResultDetails | ErrorDetails
  readonly structuredContent?: Json
}

/** A progress report of a running call. */
export interface Progress {
  readonly progress: number
  readonly total: number | undefined
  /** Cleaned. */
  readonly message: string | undefined
}
