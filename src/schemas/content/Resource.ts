/** Resources as an agent and a program see them. */
import type { Finding } from "./Finding.ts"
import type { Content } from "../call/Tool.ts"

/** One resource of one server; every text cleaned, on one line but for the description. */
export interface AgentResource {
  readonly server: string
  /** As the server wrote it, cleaned: what `readResource` takes. */
  readonly uri: string
  readonly name: string
  readonly title: string | undefined
  readonly description: string
  readonly mimeType: string | undefined
  /** Bytes, when the server says so. */
  readonly size: number | undefined
}

/** Addresses with {variables} that a server has resources at; every text cleaned. */
export interface AgentResourceTemplate extends Omit<AgentResource, "uri" | "size"> {
  /** RFC 6570. */
  readonly uriTemplate: string
}

/** One piece of what was read. Text is cleaned, not wrapped: for programs. */
export type ResourcePiece =
  | { readonly uri: string; readonly mimeType: string | undefined; readonly text: string }
  | { readonly uri: string; readonly mimeType: string | undefined; readonly blob: string }

/** What was read of one address, for a model and for a program. */
export interface ResourceReading {
  readonly server: string
  readonly uri: string
  /** For a model: wrapped and within the budget; images as images. */
  readonly content: ReadonlyArray<Content>
  /** For a program: the pieces within the same budget; what is over is left out and named in `notes`. */
  readonly pieces: ReadonlyArray<ResourcePiece>
  readonly findings: ReadonlyArray<Finding>
  /** It is not shown, for what `findings` says: `content` is a sentence of ours, and there are no pieces. */
  readonly withheld?: true
  readonly notes: ReadonlyArray<string>
}
