/**
 * The peers of the version matrix: published servers of every revision, and one on the SDK's second generation. What they
 * call their things differs; what a peer does not have is `undefined`, and has its own expectation.
 */
import * as Effect from "effect/Effect"
import type * as Scope from "effect/Scope"
import { fileURLToPath } from "node:url"
import { MODERN, serverPath, serving, type ServerDidNotStart } from "../../fixtures/servers.ts"

export type Transport = "stdio" | "http" | "sse"

/** What a configuration says of one server. */
export type Entry = Readonly<Record<string, unknown>>
type Start = Effect.Effect<Entry, ServerDidNotStart, Scope.Scope>

/** A tool that some peers have, and arguments for it. */
export interface Call {
  readonly tool: string
  readonly args: Readonly<Record<string, unknown>>
}

export interface Peer {
  readonly name: string
  readonly protocolVersion: string
  readonly start: Readonly<Partial<Record<Transport, Start>>>

  readonly sum: string
  readonly image: string
  readonly longRunning: string
  readonly annotated: Call | undefined
  readonly structured: Call | undefined
  readonly links: Call | undefined
  readonly embedded: Call | undefined
  /** A tool that must be called as a task. */
  readonly task: Call | undefined

  readonly sampling: Call
  /** Whether the tool's answer shows what the model said; one peer prints `[object Object]`. */
  readonly showsSampled: boolean
  readonly elicitation: Call | undefined
  /** What the person fills in; required fields at least. */
  readonly filledIn: Readonly<Record<string, string | number>>
  readonly urlElicitation: string | undefined
  readonly roots: string | undefined
  /** Asks for the roots before it could be heard, over HTTP. */
  readonly losesFirstRoots: boolean

  /** A resource that is listed, how many are, and one that is not listed as text. */
  readonly text: { readonly uri: string; readonly says: string }
  readonly binary: { readonly uri: string; readonly says: string }
  readonly resources: number
  readonly templates: ReadonlyArray<string>

  readonly simplePrompt: string
  readonly argsPrompt: {
    readonly name: string
    readonly args: Readonly<Record<string, string>>
    readonly required: string
    readonly says: string
  }
  readonly completion:
    | {
        readonly prompt: string
        readonly argument: string
        readonly others?: Readonly<Record<string, string>>
        readonly value: string
        readonly values: ReadonlyArray<string>
      }
    | undefined
  /** Changes a list, and what is in it afterwards. */
  readonly change: (Call & ({ readonly addsTool: string } | { readonly addsResource: string })) | undefined
  /** Makes the peer say that `text` changed; without one it says so by itself every few seconds. */
  readonly touch: Call | undefined
}

// ---- server-everything before 2025-11 ------------------------------------------------------------------------------

const olderScript = (revision: string, file: string) =>
  fileURLToPath(new URL(`../everything/node_modules/everything-${revision}/dist/${file}`, import.meta.url))

const stdio = (script: string, more: Entry = {}): Start =>
  Effect.succeed({ command: process.execPath, args: [script, "stdio"], ...more })
const http = (script: string, args: ReadonlyArray<string>, more: Entry = {}): Start =>
  Effect.map(serving("/mcp", script, ...args), ({ url }) => ({ url, ...more }))
const sse = (script: string): Start =>
  Effect.map(serving("/sse", script, "sse"), ({ url }) => ({ url, transport: "sse" }))

const older = (
  revision: string,
  features: Pick<
    Peer,
    "annotated" | "structured" | "links" | "embedded" | "elicitation" | "roots" | "completion" | "start"
  >
): Peer => ({
  name: `server-everything of ${revision}`,
  protocolVersion: revision,
  sum: "add",
  image: "getTinyImage",
  longRunning: "longRunningOperation",
  task: undefined,
  sampling: { tool: "sampleLLM", args: { prompt: "capital of France", maxTokens: 50 } },
  showsSampled: revision !== "2024-11-05",
  filledIn: { color: "green", number: 7, pets: "cats" },
  urlElicitation: undefined,
  losesFirstRoots: true,
  text: { uri: "test://static/resource/1", says: "Resource 1: This is a plaintext resource" },
  binary: { uri: "test://static/resource/2", says: "Resource 2: This is a base64 blob" },
  resources: 100,
  templates: ["test://static/resource/{id}"],
  simplePrompt: "simple_prompt",
  argsPrompt: {
    name: "complex_prompt",
    args: { temperature: "0.5", style: "casual" },
    required: "temperature",
    says: "temperature=0.5, style=casual"
  },
  change: undefined,
  touch: undefined,
  ...features
})

const COMPLETED_STYLE = { prompt: "complex_prompt", argument: "style", value: "f", values: ["formal", "friendly"] }
const ANNOTATED = { tool: "annotatedMessage", args: { messageType: "error", includeImage: true } }
const EMBEDDED = { tool: "getResourceReference", args: { resourceId: 1 } }

const allOf = (revision: string) => {
  const script = olderScript(revision, "index.js")
  return { stdio: stdio(script), http: http(script, ["streamableHttp"]), sse: sse(script) }
}

const R2024_11_05 = older("2024-11-05", {
  annotated: undefined,
  structured: undefined,
  links: undefined,
  embedded: undefined,
  elicitation: undefined,
  roots: undefined,
  completion: undefined,
  // The revision before Streamable HTTP.
  start: { stdio: stdio(olderScript("2024-11-05", "index.js")), sse: sse(olderScript("2024-11-05", "sse.js")) }
})

const R2025_03_26 = older("2025-03-26", {
  annotated: ANNOTATED,
  structured: undefined,
  links: undefined,
  embedded: EMBEDDED,
  elicitation: undefined,
  roots: undefined,
  completion: COMPLETED_STYLE,
  start: allOf("2025-03-26")
})

const R2025_06_18 = older("2025-06-18", {
  annotated: ANNOTATED,
  structured: { tool: "structuredContent", args: { location: "Berlin" } },
  links: { tool: "getResourceLinks", args: { count: 2 } },
  embedded: EMBEDDED,
  elicitation: { tool: "startElicitation", args: {} },
  roots: "listRoots",
  completion: COMPLETED_STYLE,
  start: allOf("2025-06-18")
})

// ---- from 2025-11 on -----------------------------------------------------------------------------------------------

/** What the present server-everything and our own modern server have in common. */
const newer = {
  sum: "get-sum",
  image: "get-tiny-image",
  longRunning: "trigger-long-running-operation",
  annotated: { tool: "get-annotated-message", args: { messageType: "error", includeImage: true } },
  structured: { tool: "get-structured-content", args: { location: "Chicago" } },
  links: { tool: "get-resource-links", args: { count: 2 } },
  embedded: { tool: "get-resource-reference", args: { resourceType: "Text", resourceId: 1 } },
  sampling: { tool: "trigger-sampling-request", args: { prompt: "capital of France", maxTokens: 50 } },
  showsSampled: true,
  elicitation: { tool: "trigger-elicitation-request", args: {} },
  filledIn: { name: "Ada Lovelace", integer: 7 },
  urlElicitation: "trigger-url-elicitation",
  roots: "get-roots-list",
  losesFirstRoots: false,
  templates: ["demo://resource/dynamic/text/{resourceId}", "demo://resource/dynamic/blob/{resourceId}"],
  binary: { uri: "demo://resource/dynamic/blob/2", says: "Resource 2: This is a base64 blob" },
  simplePrompt: "simple-prompt",
  argsPrompt: {
    name: "args-prompt",
    args: { city: "Oslo" },
    required: "city",
    says: "What's weather in Oslo?"
  },
  completion: {
    prompt: "completable-prompt",
    argument: "name",
    others: { department: "Engineering" },
    value: "A",
    values: ["Alice"]
  }
} satisfies Partial<Peer>

const R2025_11_25: Peer = {
  ...newer,
  name: "server-everything of 2025-11-25",
  protocolVersion: "2025-11-25",
  start: {
    stdio: stdio(serverPath("everything")),
    http: http(serverPath("everything"), ["streamableHttp"]),
    sse: sse(serverPath("everything"))
  },
  task: { tool: "simulate-research-query", args: { topic: "python", ambiguous: true } },
  text: { uri: "demo://resource/static/document/features.md", says: "Everything Server" },
  resources: 7,
  change: {
    tool: "gzip-file-as-resource",
    args: { name: "made.gz", data: "data:text/plain,hello", outputType: "resourceLink" },
    addsResource: "demo://resource/session/made.gz"
  },
  touch: { tool: "toggle-subscriber-updates", args: {} }
}

const FEATURES = "demo://resource/static/document/features.md"

const secondGeneration = (protocolVersion: string, more: Entry): Peer => ({
  ...newer,
  name: `the SDK's second generation in ${protocolVersion}`,
  protocolVersion,
  start: { stdio: stdio(MODERN, more), http: http(MODERN, ["http"], more) },
  task: undefined,
  text: { uri: FEATURES, says: "# Features" },
  resources: 2,
  change: { tool: "add-tool", args: { name: "added-later" }, addsTool: "added-later" },
  touch: { tool: "touch-resource", args: { uri: FEATURES } }
})

export const PEERS: ReadonlyArray<Peer> = [
  R2024_11_05,
  R2025_03_26,
  R2025_06_18,
  R2025_11_25,
  secondGeneration("2026-07-28", {}),
  // The same server, when its older side is asked for.
  secondGeneration("2025-11-25", { protocol: "2025-11-25" })
]
