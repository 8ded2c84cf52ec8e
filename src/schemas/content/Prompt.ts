/** Prompts and completions as an agent and a program see them. */
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
  /** Exposed name, of the same style as tool names: what `getPrompt` takes. */
  readonly name: string
  readonly title: string | undefined
  readonly description: string
  readonly arguments: ReadonlyArray<AgentPromptArgument>
  readonly server: string
  /** The server's own name, cleaned. */
  readonly prompt: string
}

/** A prompt that was filled in. Whatever role a server gave a message, here it is the user's. */
export interface PromptResult {
  readonly server: string
  readonly prompt: string
  readonly description: string | undefined
  /** Wrapped, within one budget over all messages; what was not the user's is quoted with its role. */
  readonly messages: ReadonlyArray<{ readonly role: "user"; readonly content: ReadonlyArray<Content> }>
  readonly findings: ReadonlyArray<Finding>
  /** Some of it is not shown, for what `findings` says; where a message was, there is a sentence of ours. */
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
