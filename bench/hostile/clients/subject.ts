/** What every client is brought down to, so that all of them can be driven, and judged, alike. */
export type Target =
  | {
      readonly kind: "stdio"
      readonly command: string
      readonly args: ReadonlyArray<string>
      readonly env: Readonly<Record<string, string>>
    }
  | { readonly kind: "http"; readonly url: string; readonly headers: Readonly<Record<string, string>> }

export interface Listed {
  /** The server's own name of the tool. */
  readonly name: string
  /** All that an agent would show its model of this tool, in whatever shape. */
  readonly shown: unknown
}

export interface Answer {
  /** All that an agent would show its model, in whatever shape. */
  readonly shown: unknown
  readonly isError: boolean
}

export interface Subject {
  /** Until the server can be used. */
  readonly connect: () => Promise<void>
  readonly list: () => Promise<ReadonlyArray<Listed>>
  readonly call: (tool: string, args: Readonly<Record<string, unknown>>) => Promise<Answer>
  readonly read: (uri: string) => Promise<Answer>
  readonly prompt: (name: string) => Promise<Answer>
  readonly close: () => Promise<void>
}

export interface SubjectOptions {
  /** For a connection attempt and for every request, with the option that the client has for it. */
  readonly timeoutMs: number
  /** Whether the server may speak the revision of 2026-07-28, for a client that has to be told to try. */
  readonly modern: boolean
  /** Whether the server may speak HTTP+SSE of 2024-11-05, for a client whose documentation has that tried by hand. */
  readonly sse: boolean
}

export type MakeSubject = (target: Target, options: SubjectOptions) => Subject

export const CLIENTS = ["sdk-v1", "sdk-v2", "mcp-live"] as const
export type ClientName = (typeof CLIENTS)[number]
