/** What the hostile server has to offer, as its own list tells it, and how a trial of a scenario is set up. */
import { execFileSync } from "node:child_process"
import { fileURLToPath } from "node:url"
import type { ServerLaunch, TrialPlan } from "./trial.ts"
import type { Use } from "./worker.ts"

const MAIN = fileURLToPath(new URL("../../test/fixtures/hostile-server/main.mjs", import.meta.url))

/** What an honest outcome is: see `test/fixtures/hostile-server/catalogue/row.ts`. */
export type Honest = "refused" | "failed" | "answered" | "bounded" | "gone"
export const TRANSPORTS = ["stdio", "http"] as const
export type TransportName = (typeof TRANSPORTS)[number]

export interface Drive {
  readonly do: "connect" | "list" | "call" | "read" | "prompt" | "flood" | "close"
  readonly tool?: string
  readonly arguments?: Readonly<Record<string, unknown>>
  readonly times?: number
  readonly uri?: string
  readonly prompt?: string
  readonly outcome: Honest
  readonly hangs?: boolean
  readonly secret?: boolean
}

export interface Scenario {
  /** `NAME[:ARGUMENT]` */
  readonly name: string
  readonly class: string
  /** Of the catalogue of hazards. */
  readonly id: ReadonlyArray<string>
  readonly about: string
  readonly transports: ReadonlyArray<TransportName>
  readonly drive: Drive
}

const baseOf = (name: string) => name.split(":", 1)[0] ?? ""

/**
 * Where taking it and refusing it are both right, whatever is asked of mcp-live: answers that are only large or deep, and
 * results that are against the protocol or their own schema, of which some is left that is good.
 */
const EITHER = new Set([
  "huge-json",
  "huge-event",
  "deep-schema",
  "session-id:long",
  "output-mismatch:wrong",
  "output-mismatch:missing",
  "output-mismatch:list",
  "poison:blocks",
  "poisoned-prompt",
  "tells-secret:blocks"
])

const fair = (scenario: Scenario): Scenario =>
  EITHER.has(scenario.name) ? { ...scenario, drive: { ...scenario.drive, outcome: "bounded" } } : scenario

export const listScenarios = (): ReadonlyArray<Scenario> =>
  (
    JSON.parse(
      execFileSync(process.execPath, [MAIN, "--list", "--json"], { encoding: "utf8", maxBuffer: 16 * 1024 * 1024 })
    ) as ReadonlyArray<Scenario>
  ).map(fair)

/** What a scenario and a tool have in common with no other row. */
export const titleOf = ({ drive, name }: Scenario): string => {
  const used = drive.tool ?? drive.uri ?? drive.prompt
  return used === undefined || used === "echo" || used === name ? name : `${name} (${used})`
}

/** Given to the server where it asks for one, written into the configuration as most people do; nobody else has it. */
export const SECRET = "hst-4f1c9e27d05b8a63-canary"
/** Where a server forges an answer, this is all that it says. */
export const FORGED = "forged"

const useOf = ({ arguments: args = {}, do: what, prompt, times = 1, tool, uri }: Drive): Use | undefined => {
  if (what === "read" && uri !== undefined) return { do: "read", uri }
  if (what === "prompt" && prompt !== undefined) return { do: "prompt", prompt }
  return what === "connect" || what === "list" || tool === undefined ? undefined : { do: "call", tool, args, times }
}

/** With this begins what a scenario says in words of its own. */
const OWN_WORDS = "quoth"
/** Where it is neither that nor what was sent: what a right answer to an echo holds. */
const ANSWERS: Readonly<Record<string, string>> = {
  encoded: "hi",
  events: "h\u00E9",
  "many-events": "hi",
  "takes-no-answers": "asked",
  "huge-text": "xxxxxxxxxxxxxxxx",
  "huge-image": "",
  "many-images": "",
  "many-links": ""
}

/** A right answer holds one of these; none where every answer is right. */
export const rightAnswersOf = ({ drive, name }: Pick<Scenario, "drive" | "name">): ReadonlyArray<string> => {
  const sent = drive.do === "call" && drive.tool === "echo" ? drive.arguments?.["text"] : undefined
  return typeof sent === "string" ? [ANSWERS[baseOf(name)] ?? sent, OWN_WORDS] : []
}

const launchOf = (name: string, transport: TransportName, secret: boolean): ServerLaunch => ({
  transport,
  args: [MAIN, ...(name === "" ? [] : [`--scenario=${name}`]), `--transport=${transport}`],
  env: secret && transport === "stdio" ? { HOSTILE_SECRET: SECRET } : {},
  headers: secret && transport === "http" ? { "x-hostile-secret": SECRET } : {}
})

/** Those whose server speaks the revision of 2026-07-28. */
const MODERN = new Set([
  "modern-only",
  "dual-era",
  "die-on-discover",
  "silent-on-discover",
  "input-required",
  "future-only",
  "mirrored-headers"
])

/** Tools that a client must list, whatever else the server has: one that is bad is no reason to lose them. */
const GOOD: Readonly<Record<string, ReadonlyArray<string>>> = {
  "bad-tool": ["echo", "add"],
  pages: ["echo", "page_1", "page_2", "page_3"],
  "endless-pages": ["echo"],
  "odd-names": ["echo"],
  "deep-schema": ["echo"],
  "remote-refs": ["echo"],
  poison: ["echo"],
  "big-list": ["echo"],
  "many-tools": ["echo", "tool_1", "tool_200"],
  "mirrored-headers": ["echo"]
}

export const goodToolsOf = (name: string): ReadonlyArray<string> => GOOD[baseOf(name)] ?? []

type Setup = Omit<TrialPlan, "client">

export const setupOf = (scenario: Scenario, transport: TransportName): Setup => {
  const { drive, name } = scenario
  return {
    server: launchOf(name, transport, drive.secret === true),
    modern: MODERN.has(baseOf(name)),
    sse: baseOf(name) === "old",
    use: useOf(drive),
    neighbour: drive.do === "flood" ? launchOf("", "stdio", false) : undefined,
    lookFor: {
      texts: rightAnswersOf(scenario),
      secrets: drive.secret === true ? [SECRET] : []
    }
  }
}

/** The polite server, used as it is meant to be: what a client takes of memory when nobody harms it. */
export const politeSetup = (transport: TransportName): Setup => ({
  server: launchOf("", transport, false),
  modern: false,
  sse: false,
  use: { do: "call", tool: "echo", args: { text: "honest words" }, times: 1 },
  neighbour: undefined,
  lookFor: { texts: [], secrets: [] }
})
