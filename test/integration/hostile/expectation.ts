/** What is required of a play, and short ways to say it. */
import { assert } from "@effect/vitest"
import * as Effect from "effect/Effect"
import type { Listed } from "../../fixtures/hostile-server/catalogue.ts"
import type { Recorded } from "../../fixtures/hostile-server/http/exchange.ts"
import type { Transport } from "../../fixtures/hostile-server/scenario.ts"
import type { ServerStatus } from "../../../src/schemas/connection/ServerState.ts"
import type { AgentTool, ToolResult } from "../../../src/schemas/call/Tool.ts"
import type { McpRuntimeShape } from "../../../src/services/call/McpRuntime.ts"

/** One scenario, played. */
export interface Play {
  readonly row: Listed
  readonly transport: Transport
  readonly runtime: McpRuntimeShape
  /** The exposed name of a tool of the hostile server; fails when it has none that fits. */
  readonly named: (tool: string) => string
  /** What it offers, of all that its neighbour offers too. */
  readonly tools: () => ReadonlyArray<AgentTool>
  /** Of what the catalogue says to do. */
  readonly results: ReadonlyArray<ToolResult>
  readonly values: ReadonlyArray<unknown>
  /** How the hostile server stood when it had come up, or had not. */
  readonly status: ServerStatus
  readonly logs: ReadonlyArray<string>
  /** Over HTTP: what arrived at another origin, and what came in at its own. */
  readonly foreign: () => ReadonlyArray<Recorded>
  readonly requests: () => ReadonlyArray<Recorded>
  /** Keeps something to be searched for what must not be left in it. */
  readonly take: <A>(value: A) => A
}

export interface Expectation {
  /** The tag of the error that each call ends with, or those that are right; of a server that is refused, words of its last error. */
  readonly error?: string | RegExp
  /** What the model is told, or must be. */
  readonly says?: RegExp
  readonly lacks?: RegExp
  /** Keys of the server's entry. */
  readonly keys?: Readonly<Record<string, unknown>>
  /** By how much the memory of this process may grow, in megabytes; such rows are played alone. */
  readonly roomMb?: number
  /** Played alone. */
  readonly alone?: true
  readonly check?: (play: Play) => Effect.Effect<unknown, unknown> | void
  /** What else holds over one of the transports. */
  readonly stdio?: Expectation
  readonly http?: Expectation
  /** The tool that was to be called is not there: why, in words of the log. */
  readonly dropped?: RegExp
  /** What is promised less than the catalogue of hazards requires, and why. The rest says what does happen. */
  readonly limit?: string
}

export type Expectations = Readonly<Record<string, Expectation>>

export const over = ({ http, stdio, ...common }: Expectation, transport: Transport): Expectation => ({
  ...common,
  ...(transport === "http" ? http : stdio)
})

export const answered: Expectation = {}
/** What was sent came back. */
export const echoed: Expectation = { says: /honest words/ }
export const failed = (error: string, more: Expectation = {}): Expectation => ({ error, ...more })
export const refused = (error: RegExp, more: Expectation = {}): Expectation => ({ error, ...more })

export const textOf = ({ content }: ToolResult): string =>
  content.map((block) => (block.type === "text" ? block.text : `[${block.mimeType}]`)).join("\n")

export const tagOf = ({ details }: ToolResult): string | undefined =>
  "error" in details ? details.error.tag : undefined

export const findingsOf = ({ details }: ToolResult): ReadonlyArray<string> =>
  (details.findings ?? []).map(({ kind }) => kind)

/** That these were found in the first result, among others. */
export const found =
  (...kinds: ReadonlyArray<string>) =>
  ({ results }: Play): void =>
    assert.includeMembers([...findingsOf(results[0]!)], [...kinds])

/** What was left out or cut is told with the result. */
export const noted =
  (why: RegExp) =>
  ({ results }: Play): void => {
    const { details } = results[0]!
    assert.match("notes" in details ? details.notes.join("\n") : "", why)
  }

const BREAKER_FAILURES = 3

/** Each call fails, with this tag: after some in a row the server is left alone, and no more calls are made. */
export const leftAlone = (error: string): Expectation =>
  failed(error, {
    keys: { limits: { perMinute: 0, inFlight: 1_000, failures: BREAKER_FAILURES, coolDownMs: 600_000 } },
    check: Effect.fnUntraced(function* ({ logs, named, requests, results, runtime, take, transport }) {
      const more = yield* Effect.replicateEffect(runtime.call(named("echo"), { text: "honest words" }), 5)
      assert.deepStrictEqual(
        [...results, ...take(more)].map(tagOf),
        Array.from({ length: 6 }, (_, i) => (i < BREAKER_FAILURES ? error : "CircuitOpen"))
      )
      assert.lengthOf(
        logs.filter((line) => line.startsWith(`[bad] ${BREAKER_FAILURES} calls in a row failed`)),
        1
      )
      if (transport !== "http") return
      assert.lengthOf(
        requests().filter(({ method }) => method === "tools/call"),
        BREAKER_FAILURES
      )
    })
  })
