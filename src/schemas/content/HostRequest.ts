/**
 * The requests of servers to their host, and the answers: roots, sampling, elicitation. The same types for requests that a
 * server pushes (up to 2025-11-25) and those in an `input_required` response (2026-07-28). The server's texts in them are
 * cleaned.
 */
import * as Schema from "effect/Schema"
import type { JsonObject } from "../data/Json.ts"
import { quotedLines } from "./ServerText.ts"

/** A directory or file that servers may work in. A hint, not a sandbox. */
export interface Root {
  /** `file://…` */
  readonly uri: string
  readonly name?: string | undefined
}

// ---- elicitation ---------------------------------------------------------------------------------------------------

/** A server asks the person for values (`form`), or to visit a URL (`url`). */
export type ElicitationRequest =
  | {
      readonly mode: "form"
      readonly server: string
      readonly message: string
      /** A flat object schema: strings, numbers, booleans, enums and lists of enum values. */
      readonly requestedSchema: JsonObject
    }
  | {
      readonly mode: "url"
      readonly server: string
      readonly message: string
      /** Complete; `http:` or `https:`. Nothing here opens or fetches it. */
      readonly url: string
      /** The resolved host of the URL in ASCII: what a person must check. */
      readonly host: string
      readonly elicitationId: string | undefined
    }

/** Whether a part of a host stands for characters outside of ASCII (RFC 3492), such as a Cyrillic "a". */
export const mayImitate = (host: string): boolean =>
  host.split(".").some((label) => label.toLowerCase().startsWith("xn--"))

/**
 * The question for a person who is asked through a client: the server, its message as a quotation, and the target of a URL.
 * Nothing that the server says can pass for our words or the client's.
 */
export const elicitationWords = (request: ElicitationRequest): string =>
  [
    `The MCP server ${JSON.stringify(request.server)} asks:`,
    quotedLines(request.message),
    ...(request.mode === "url" ? [`The address is at ${request.host}.`] : []),
    ...(request.mode === "url" && mayImitate(request.host)
      ? ["Careful: it contains characters that look like others. It may not be the address that it seems to be."]
      : [])
  ].join("\n")

/** What a person entered in one field. */
export type ElicitationValue = string | number | boolean | ReadonlyArray<string>

/** The person's answer to a server's question. `decline` is a no; `cancel` is no answer. */
export type ElicitationResult =
  | {
      readonly action: "accept"
      /** `null` for a field that was emptied: not even its default is sent. */
      readonly content?: Readonly<Record<string, ElicitationValue | null>> | undefined
    }
  | { readonly action: "decline" }
  | { readonly action: "cancel" }

// ---- sampling ------------------------------------------------------------------------------------------------------

/** One part of a message for the host's model. `data` is Base64. */
export type SamplingContent =
  | { readonly type: "text"; readonly text: string }
  | { readonly type: "image" | "audio"; readonly data: string; readonly mimeType: string }

/** One message of the conversation that a server wants completed. */
export interface SamplingMessage {
  readonly role: "user" | "assistant"
  readonly content: ReadonlyArray<SamplingContent>
}

/** A server asks the host's model for a completion. */
export interface SamplingRequest {
  readonly server: string
  readonly messages: ReadonlyArray<SamplingMessage>
  readonly systemPrompt: string | undefined
  /** Already reduced to the host's own limit. */
  readonly maxTokens: number
  readonly temperature: number | undefined
  readonly stopSequences: ReadonlyArray<string>
  /** Names of models, or parts of them, in order of preference; hints only. */
  readonly modelHints: ReadonlyArray<string>
}

/** The answer of the host's model. */
export interface SamplingResult {
  readonly text: string
  /** The model that answered. */
  readonly model: string
  readonly stopReason?: "endTurn" | "stopSequence" | "maxTokens" | undefined
}

// ---- refusals ------------------------------------------------------------------------------------------------------

/** Why the host does not answer a request, sent as a JSON-RPC error. In our own words. */
export class HostRefusal extends Schema.TaggedError<HostRefusal>()("HostRefusal", {
  code: Schema.Finite,
  message: Schema.String
}) {}

/** The host does not offer the method (JSON-RPC). */
export const METHOD_NOT_FOUND = -32601
/** The request is invalid (JSON-RPC). */
export const INVALID_PARAMS = -32602
/** The person, or the configuration, refused (2025-11-25, Sampling › Error Handling). */
export const REFUSED = -1
