/** What came out of a runtime, by channel, and the servers that it came from. */
import { inFixtures } from "../../fixtures/servers.ts"
import { payloads } from "../../fixtures/channels/payloads.ts"

export const SECRET = "sk-live-7Qm2Xv9TzB4KpL8s"
/** A known secret that a server may also send as a number. */
export const DIGITS = "739104826455"
export const TEXTS = payloads(SECRET, DIGITS)
export const NAMES = Object.keys(TEXTS)

export interface Channel {
  /** Whatever came. */
  readonly values: Array<unknown>
  /** Texts that a model reads as they are. */
  readonly model: Array<string>
}

export type Gathered = ReadonlyMap<string, Channel>

export const makeGathering = () => {
  const gathered = new Map<string, Channel>()
  const channelOf = (name: string): Channel => {
    const known = gathered.get(name) ?? { values: [], model: [] }
    gathered.set(name, known)
    return known
  }
  return {
    gathered: gathered as Gathered,
    take: (channel: string, value: unknown) => void channelOf(channel).values.push(value),
    /** Something with content for a model in it. */
    takeContent: (channel: string, value: { readonly content: ReadonlyArray<{ readonly type: string }> }) => {
      const { model, values } = channelOf(channel)
      values.push(value)
      for (const block of value.content) if ("text" in block) model.push(String(block.text))
    }
  }
}

export type Gathering = ReturnType<typeof makeGathering>

// ---- servers -------------------------------------------------------------------------------------------------------

const SCRIPT = inFixtures("channels.ts")

const server = (without: ReadonlyArray<string>, ...args: ReadonlyArray<string>) => ({
  command: process.execPath,
  args: [SCRIPT, ...args],
  env: {
    CHANNELS_SECRET: "secret://env/CHANNELS_TEST_SECRET",
    CHANNELS_DIGITS: "secret://env/CHANNELS_TEST_DIGITS",
    CHANNELS_WITHOUT: without.join()
  },
  restartOnCrash: false,
  limits: { perMinute: 0, failures: 0 }
})

export interface Setup {
  readonly era: "legacy" | "modern"
  /** Further keys of the servers. */
  readonly keys?: object
  /** Names of texts that it does not say. */
  readonly without?: ReadonlyArray<string>
}

/** `main` works; the others fail, each in its own way. */
export const servers = ({ era, keys, without = [] }: Setup) => ({
  main: { ...server(without, ...(era === "modern" ? ["modern"] : [])), sampling: "allow" as const, ...keys },
  refuse: { ...server(without, "refuse"), ...keys },
  version: { ...server(without, "bad-version"), ...keys },
  list: { ...server(without, "bad-list"), ...keys },
  tools: { ...server(without, "bad-tools"), ...keys },
  die: { ...server(without, "die"), ...keys }
})

export const BROKEN = ["refuse", "version", "list", "die"] as const

// ---- what is asked -------------------------------------------------------------------------------------------------

/** Channels of the tool `say` whose answer is what counts. */
export const RESULTS = [
  "text",
  "blocks",
  "bare",
  "isError",
  "structured",
  "structuredAlone",
  "structuredText",
  "firstRevision",
  "long",
  "longValue",
  "many",
  "malformed",
  "noResult"
] as const
export const ERRORS = ["error", "errorParams", "errorVersion", "errorCode", "errorNumber"] as const
/** Those that come by another way. */
export const BESIDE = ["log", "stderr", "odd"] as const

/** Handles of what was kept, wherever they stand. */
export const handlesIn = (value: unknown): ReadonlyArray<string> => [
  ...new Set(JSON.stringify(value).match(/r-[0-9a-f]{16}/g) ?? [])
]
