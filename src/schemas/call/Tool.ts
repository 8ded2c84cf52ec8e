/**
 * Agent tools and their results: the shapes that every agent loop sees. `ToolResult` is what pi-agent-core's `AgentTool`
 * returns (`content` of text and image, `details`) plus `isError` and `structuredContent`.
 */
import { DEFAULT_CONTENT_POLICY, type ContentMode, type ContentPolicy } from "../content/ContentPolicy.ts"
import type { Finding } from "../content/Finding.ts"
import type { Json, JsonObject } from "../data/Json.ts"

/** Text for a model. Words of a server stand in a boundary that says so. */
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

/** One tool as an agent sees it: cleaned texts, an exposed name that every model provider takes. */
export interface AgentTool {
  /** Matches `^[A-Za-z_][A-Za-z0-9_-]{0,63}$`. */
  readonly name: string
  readonly label: string
  readonly description: string
  /** JSON Schema, an object at its root. */
  readonly parameters: JsonObject
  readonly server: string
  /** The server's own name of the tool, cleaned: for people and rules to read, not to call by. */
  readonly tool: string
  /** What the server says of the tool: hints of a stranger, which widen no right. */
  readonly annotations?: ToolAnnotations | undefined
  /** Of its structured content, as far as all words in it can be shown as they are. */
  readonly outputSchema?: JsonObject | undefined
}

/** How the description of a server's tool begins, so that a model knows whose it is. */
export const originMark = (server: string): string => `[MCP server: ${server}] `

/** Untrusted (Tools › Tool): for people to read, never for a decision. */
export interface ToolAnnotations {
  readonly readOnlyHint?: boolean | undefined
  readonly destructiveHint?: boolean | undefined
  readonly idempotentHint?: boolean | undefined
  readonly openWorldHint?: boolean | undefined
}

/** What a server says of what it links to. */
export interface LinkWords {
  readonly name?: string
  readonly title?: string
  readonly description?: string
  /** In bytes. */
  readonly size?: number
}

/** Something that the agent's content has no type for: the agent got a sentence, programs get this. */
export interface Original {
  readonly type: "audio" | "image" | "blob" | "resource_link"
  readonly mimeType: string | undefined
  readonly uri: string | undefined
  /** Decoded bytes; 0 for a link. */
  readonly bytes: number
  /** Base64, when it fits the budget of the result. */
  readonly data?: string
  /** For `mcp_read_more`, and `ResultStore.read`, when it does not. */
  readonly handle?: string
  /** Of a link; cleaned. */
  readonly link?: LinkWords
}

/** What a program should know of a result: whose it is, and what was found in it. */
export interface ResultDetails {
  readonly externalContent: {
    /** False only for a server with the content mode `trusted`. */
    readonly untrusted: boolean
    readonly source: "mcp_server"
    readonly server: string
    readonly tool: string
    readonly mode: ContentMode
    /** Whether there is text between boundaries in `content`. */
    readonly wrapped: boolean
  }
  /** The server's content is not shown, for what `findings` says; `content` is a sentence of ours. */
  readonly withheld?: true
  readonly findings: ReadonlyArray<Finding>
  /** What did not fit the budget or the content types of the agent, in our own words. */
  readonly notes: ReadonlyArray<string>
  /** What the agent was only told about. */
  readonly originals?: ReadonlyArray<Original>
  /** Of the whole text, when only part of it is in `content`. */
  readonly handle?: string
  /** Of structured content that found no room. */
  readonly structuredHandle?: string
  readonly annotations?: ToolAnnotations
}

/** What `details` say of where content came from; `hasText` is whether any of it is shown as text. */
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

/** What a program should know of a failed call; the words for the model are in `content`. */
export interface ErrorDetails {
  readonly error: {
    /** Tag of the error in `McpError`, or `Defect`. */
    readonly tag: string
    readonly server: string | undefined
    readonly tool: string
    /** Whether the call may have had its effect although there is no result. */
    readonly maybeExecuted: boolean
  }
  /** What was suspicious in the server's own words, if anything. */
  readonly findings?: ReadonlyArray<Finding>
}

/** What came of a call. A call never throws: what went wrong is a result with `isError: true`. */
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
