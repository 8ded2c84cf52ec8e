/** Resources for an agent and a program. */
import type { Finding } from "./Finding.ts"
import type { Content } from "../call/Tool.ts"

/** One resource of one server; every text cleaned, and on one line except the description. */
export interface AgentResource {
  readonly server: string
  /** As the server wrote it, cleaned: the argument of `readResource`. */
  readonly uri: string
  readonly name: string
  readonly title: string | undefined
  readonly description: string
  readonly mimeType: string | undefined
  /** In bytes, if the server says so. */
  readonly size: number | undefined
}

/** A URI template with {variables}; every text cleaned. */
export interface AgentResourceTemplate extends Omit<AgentResource, "uri" | "size"> {
  /** RFC 6570. */
  readonly uriTemplate: string
}

/** One content of a reading. Text is cleaned but not wrapped: for programs. */
export type ResourcePiece =
  | { readonly uri: string; readonly mimeType: string | undefined; readonly text: string }
  | { readonly uri: string; readonly mimeType: string | undefined; readonly blob: string }

/** The contents of one URI, for a model and for a program. */
export interface ResourceReading {
  readonly server: string
  readonly uri: string
  /** For a model: wrapped and within the budget; images as images. */
  readonly content: ReadonlyArray<Content>
  /** For a program: the contents within the same budget; what exceeds it is left out and mentioned in `notes`. */
  readonly pieces: ReadonlyArray<ResourcePiece>
  readonly findings: ReadonlyArray<Finding>
  /** Withheld because of `findings`: `content` is a sentence of ours, and there are no pieces. */
  readonly withheld?: true
  readonly notes: ReadonlyArray<string>
}
