/**
 * Everything that a gateway can get from a server that writes hostile texts wherever it can: one promise for each channel,
 * none of which is a way past the sanitiser. What is searched for is in test/support/survivors.ts.
 */
import { assert, describe, it } from "@effect/vitest"
import { afterAll, beforeAll } from "vitest"
import { makeSearch, outsideSurvivors, stringsIn } from "../support/survivors.ts"
import { gatherFromLibrary } from "./channels/library.ts"
import { gatherFromRuntime } from "./channels/runtime.ts"
import { DIGITS, SECRET, type Gathered } from "./channels/gathered.ts"
import { isFull } from "../support/full.ts"

interface Claim {
  readonly channel: string
  /** Whether some of the server's words are shown there: then they must be found. */
  readonly shows: boolean
}

const shows = (...channels: ReadonlyArray<string>) => channels.map((channel): Claim => ({ channel, shows: true }))
const hides = (...channels: ReadonlyArray<string>) => channels.map((channel): Claim => ({ channel, shows: false }))

const DEFINITIONS = shows("tools", "resources", "templates", "prompts")
const RESULTS = shows(
  "result: text",
  "result: blocks",

  "result: isError",
  "result: structured",
  "result: structuredAlone",
  "result: structuredText",
  "result: firstRevision",
  "result: long",
  "result: many",
  "result: of a hostile name",
  "error: error",
  "error: errorParams",
  "error: errorVersion",
  "error: errorCode",
  "error: errorNumber"
)
const NOTHING_SHOWN = hides("result: bare", "result: longValue", "result: malformed", "result: noResult")
const READS = shows(
  "progress",
  "resource",
  "resource: error",
  "resource tool",
  "resource list",
  "resource context",
  "prompt",
  "prompt: error",
  "completion",
  "completion: error",
  "read more",
  "status",
  "unavailable"
)
const HOST = shows("elicitation", "sampling")
/** Errors that programs get, and what they are told of servers. */
const SAID_TO_OPERATORS = ["resource: error", "prompt: error", "completion: error", "status", "unavailable"]
/** Nothing hostile has a name there, nobody is asked anything, and nothing is kept. */
const NEVER_REACHED = new Set(["result: of a hostile name", "elicitation", "sampling", "read more"])

const RUNTIME = [
  ...DEFINITIONS,
  ...RESULTS,
  ...NOTHING_SHOWN,
  ...READS,
  ...HOST,
  ...shows("error: unknown name", "resource updates", "search", "audit", "logs", "spans")
]
const LIBRARY = [...DEFINITIONS, ...RESULTS, ...NOTHING_SHOWN, ...READS, ...HOST, ...shows("logs")]

/** Definitions are listed, and answers given: of those in which nothing was found. What the operator reads shows more. */
const WITHHELD = [
  ...hides(
    ...[...DEFINITIONS, ...RESULTS, ...NOTHING_SHOWN, ...READS, ...HOST]
      .map(({ channel }) => channel)
      .filter((channel) => !SAID_TO_OPERATORS.includes(channel) && !NEVER_REACHED.has(channel))
  ),
  ...shows(...SAID_TO_OPERATORS, "error: unknown name", "audit", "logs", "spans"),
  ...hides("search")
]

const { survivors } = makeSearch([SECRET, DIGITS])

/** Of what is left, enough to see where it comes from. */
const SHOWN_MAX = 5
const clip = (text: string) => JSON.stringify(text.length > 400 ? `${text.slice(0, 400)}…` : text)

const promises = (name: string, gather: () => Promise<Gathered>, all: ReadonlyArray<Claim>) =>
  describe(name, () => {
    let gathered: Gathered
    beforeAll(async () => {
      gathered = await gather()
    }, 300_000)

    it("is asked for everything that there is", () => {
      assert.sameMembers(
        [...gathered.keys()],
        all.map(({ channel }) => channel)
      )
    })

    for (const { channel, shows } of all) {
      it(`${channel}: nothing hostile is left${shows ? ", and the words of the server are there" : ""}`, () => {
        const { model, values } = gathered.get(channel)!
        assert.isNotEmpty(values)
        const strings = stringsIn(values)
        const left = strings.flatMap(({ path, text }) =>
          survivors(text).map((survivor) => `${survivor} at ${path}: ${clip(text)}`)
        )
        assert.deepStrictEqual(left.slice(0, SHOWN_MAX), [])
        const outside = model.flatMap((text) => outsideSurvivors(text).map((survivor) => `${survivor}: ${clip(text)}`))
        assert.deepStrictEqual(outside.slice(0, SHOWN_MAX), [])
        const words = strings.filter(({ text }) => text.includes("quoth"))
        if (shows) assert.isNotEmpty(words)
        else
          assert.deepStrictEqual(
            words.slice(0, SHOWN_MAX).map(({ path, text }) => `${path}: ${clip(text)}`),
            []
          )
      })
    }
  })

const ENV = { CHANNELS_TEST_SECRET: SECRET, CHANNELS_TEST_DIGITS: DIGITS }
beforeAll(() => void Object.assign(process.env, ENV))
afterAll(() => {
  for (const name of Object.keys(ENV)) delete process.env[name]
})

promises("channels of McpRuntime, 2025-11-25", () => gatherFromRuntime({ era: "legacy" }), RUNTIME)
if (isFull) {
  promises("channels of McpRuntime, 2026-07-28", () => gatherFromRuntime({ era: "modern" }), RUNTIME)
  promises("channels of loadMCPServers", gatherFromLibrary, LIBRARY)
  // Of these texts alone there is nothing to find.
  promises(
    "channels of a server of which nothing suspicious is shown",
    () => gatherFromRuntime({ era: "legacy", keys: { onFinding: "withhold" }, without: ["source"] }),
    WITHHELD
  )
}
