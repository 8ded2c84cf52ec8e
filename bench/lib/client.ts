/** What every client is brought down to, so that all of them can be measured by the same cases. */
import type { Launch } from "./launch.ts"

export type Arguments = Readonly<Record<string, unknown>>

export interface BenchClient {
  readonly call: (tool: string, args: Arguments) => Promise<unknown>
  /** So many calls one after the other, for clients that have a cheaper way than a promise per call. */
  readonly loop?: (count: number, tool: string, args: Arguments) => Promise<void>
  readonly close: () => Promise<void>
}

export interface ClientKind {
  readonly name: string
  /** Starts the server, shakes hands and lists its tools. */
  readonly open: (launch: Launch) => Promise<BenchClient>
}

/** The text of a result of any client; a benchmark of wrong answers is none. */
export const textOf = (result: unknown): string => {
  const { content } = result as { readonly content: ReadonlyArray<{ readonly text?: string }> }
  return content.map((block) => block.text ?? "").join("")
}

export const expectText = (result: unknown, contains: string): void => {
  if (!textOf(result).includes(contains)) throw new Error(`unexpected answer: ${textOf(result).slice(0, 200)}`)
}
