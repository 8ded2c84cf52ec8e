/** Prompts and completions for an agent and a program. */
import type { Finding } from "./Finding.ts"
import type { Content } from "../call/Tool.ts"

/** One argument of a prompt; every text cleaned. */
export interface AgentPromptArgument {
  readonly name: string
  readonly description: string
  readonly required: boolean
}

/** One prompt of one server; every text cleaned. */
export interface AgentPrompt {
  /** Exposed name, in the same style as tool names: the argument of `getPrompt`. */
  readonly name: string
  readonly title: string | undefined
  readonly description: string
  readonly arguments: ReadonlyArray<AgentPromptArgument>
  readonly server: string
  /** The server's own name, cleaned. */
  readonly prompt: string
}

/** A prompt with its arguments filled in. Every message has the role of the user, whatever the server said. */
export interface PromptResult {
  readonly server: string
  readonly prompt: string
  readonly description: string | undefined
  /** Wrapped, within one budget over all messages; a message with another role is quoted with its role. */
  readonly messages: ReadonlyArray<{ readonly role: "user"; readonly content: ReadonlyArray<Content> }>
  readonly findings: ReadonlyArray<Finding>
  /** Some messages are withheld because of `findings`; a sentence of ours replaces each. */
  readonly withheld?: true
  readonly notes: ReadonlyArray<string>
}

/** What is completed: an argument of a prompt, or a variable of a resource template. */
export type CompletionRef =
  | { readonly type: "prompt"; readonly name: string }
  | { readonly type: "resource"; readonly uriTemplate: string; readonly server?: string | undefined }

/** The argument that is being typed. */
export interface CompletionArgument {
  readonly name: string
  /** What has been typed so far. */
  readonly value: string
  /** Arguments that are already filled in. */
  readonly others?: Readonly<Record<string, string>> | undefined
}

/** At most 100 values, cleaned. */
export interface Completion {
  readonly values: ReadonlyArray<string>
  readonly total: number | undefined
  readonly hasMore: boolean
}
