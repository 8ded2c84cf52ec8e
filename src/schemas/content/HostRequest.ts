/**
 * What a server may ask of its host, and the host's answers: roots, sampling, elicitation. The same shapes for a request
 * that a server pushes (up to 2025-11-25) and for one that comes back as `input_required` (2026-07-28). Texts of a server
 * are cleaned before anybody sees these.
 */
import * as Schema from "effect/Schema"
import type { JsonObject } from "../data/Json.ts"
import { quotedLines } from "./ServerText.ts"

/** A directory, or a file, that servers may regard as theirs to work on. Advice, no sandbox. */
export interface Root {
  /** `file://…` */
  readonly uri: string
  readonly name?: string | undefined
}

// ---- elicitation ---------------------------------------------------------------------------------------------------

/** A server asks the person for values (`form`), or to open an address (`url`). */
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
      /** In full; `http:` or `https:`. Nothing here opens or fetches it. */
      readonly url: string
      /** The host of the address as it is resolved, in ASCII: what a person must look at. */
      readonly host: string
      readonly elicitationId: string | undefined
    }

/** Whether a part of a host stands for letters outside of ASCII (RFC 3492), such as a Cyrillic "a". */
export const mayImitate = (host: string): boolean =>
  host.split(".").some((label) => label.toLowerCase().startsWith("xn--"))

/**
 * What a person reads who is asked through a client: who asks, what they say as a quotation, and of an address where it leads
 * to. Nothing that a server says stands there like words of ours, or of the client's.
 */
export const elicitationWords = (request: ElicitationRequest): string =>
  [
    `The MCP server ${JSON.stringify(request.server)} asks:`,
    quotedLines(request.message),
    ...(request.mode === "url" ? [`The address is at ${request.host}.`] : []),
    ...(request.mode === "url" && mayImitate(request.host)
      ? ["Careful: it is written with characters that may imitate others. It may not be the one it looks like."]
      : [])
  ].join("\n")

/** What a person filled into one field. */
export type ElicitationValue = string | number | boolean | ReadonlyArray<string>

/** What a person answered to a server's question. `decline` is a no; `cancel` is no answer. */
export type ElicitationResult =
  | {
      readonly action: "accept"
      /** `null` for a field that was emptied: not even its default is sent. */
      readonly content?: Readonly<Record<string, ElicitationValue | null>> | undefined
    }
  | { readonly action: "decline" }
  | { readonly action: "cancel" }

// ---- sampling ------------------------------------------------------------------------------------------------------

/** One part of a message that goes to the host's model. `data` is Base64. */
export type SamplingContent =
  | { readonly type: "text"; readonly text: string }
  | { readonly type: "image" | "audio"; readonly data: string; readonly mimeType: string }

/** One message of the conversation that a server wants completed. */
export interface SamplingMessage {
  readonly role: "user" | "assistant"
  readonly content: ReadonlyArray<SamplingContent>
}

/** A server asks for a completion by the host's model. */
export interface SamplingRequest {
  readonly server: string
  readonly messages: ReadonlyArray<SamplingMessage>
  readonly systemPrompt: string | undefined
  /** Already held down to the host's own limit. */
  readonly maxTokens: number
  readonly temperature: number | undefined
  readonly stopSequences: ReadonlyArray<string>
  /** Names or parts of names of models, in the order of preference; advice only. */
  readonly modelHints: ReadonlyArray<string>
}

/** What the host's model answered. */
export interface SamplingResult {
  readonly text: string
  /** The model that answered. */
  readonly model: string
  readonly stopReason?: "endTurn" | "stopSequence" | "maxTokens" | undefined
}

// ---- refusals ------------------------------------------------------------------------------------------------------

/** Why the host does not answer a request: sent as a JSON-RPC error. Our own words. */
export class HostRefusal extends Schema.TaggedError<HostRefusal>()("HostRefusal", {
  code: Schema.Finite,
  message: Schema.String
}) {}

/** The method is not offered by this host (JSON-RPC). */
export const METHOD_NOT_FOUND = -32601
/** The request makes no sense (JSON-RPC). */
export const INVALID_PARAMS = -32602
/** The person, or the configuration, said no (2025-11-25, Sampling › Error Handling). */
export const REFUSED = -1
