/**
 * Puts one of a few words to what was seen of a client. It is not told which client it was, and what it expects it is told
 * by the scenario alone.
 */
import { HARMS, type Observation, type Step, type StepName } from "./observation.ts"
import { FORGED, goodToolsOf, rightAnswersOf, type Drive, type Scenario } from "./scenarios.ts"

/** From the worst to the best. */
export const WORDS = {
  crash: "the process of the client ended",
  hang: "the client was not done at the hard deadline",
  wrong: "it took what it must not, handed on what it must not, or lost what was good",
  "left processes": "processes of the server lived on after it was closed",
  "bare error": "an error of the language that does not say what is wrong with the server",
  timeout: "an error after the whole time that was allowed",
  "typed error": "an error that says what is wrong, before the time was up",
  ok: "the right answer"
} as const
export type Word = keyof typeof WORDS

export interface Verdict {
  readonly word: Word
  /** What was wrong, or what the error said. */
  readonly detail: string
  /** Whether this is as good as it gets with this server. */
  readonly honest: boolean
}

/** What the judge knows of a scenario. */
export type Judgeable = Pick<Scenario, "drive" | "name">

type Judged = Pick<Verdict, "word" | "detail">

/** An error of more characters is no message: a log, or a model, gets the server's whole page. */
const MESSAGE_MAX_CHARS = 16 * 1024
/** A timeout may come a little early by its own clock. */
const EARLY = 0.95
const BARE = new Set(["TypeError", "RangeError", "SyntaxError", "ReferenceError", "EvalError", "URIError"])
const DETAIL_CHARS = 140

const NAMES: Readonly<Record<StepName, string>> = {
  connect: "connecting",
  list: "listing",
  use: "the call",
  close: "closing"
}
const ORDER: ReadonlyArray<StepName> = ["connect", "list", "use", "close"]

const hanging = (steps: ReadonlyArray<Step>): string => {
  const last = steps.at(-1)
  if (last === undefined) return NAMES.connect
  return last.failed === undefined ? NAMES[ORDER[ORDER.indexOf(last.step) + 1] ?? "close"] : NAMES.close
}

const harmOf = ({ steps }: Observation): string | undefined => {
  const harms = new Set(steps.flatMap(({ text }) => text?.harms ?? []))
  return harms.size === 0 ? undefined : `hands on ${[...harms].map((harm) => HARMS[harm]).join(", ")}`
}

const forgeryOf = ({ steps }: Observation): string | undefined =>
  steps.some(({ failed, step, text }) => step === "use" && failed === undefined && text?.excerpt === FORGED)
    ? "took a forged answer"
    : undefined

const sufferingOf = ({ steps }: Observation): string | undefined => {
  const other = steps.find(({ besideFailed }) => besideFailed !== undefined)?.besideFailed
  return other === undefined ? undefined : `an honest server beside it fails: ${other}`.slice(0, DETAIL_CHARS)
}

const endlessMessageOf = ({ steps }: Observation): string | undefined => {
  const long = steps.find(({ failed, text }) => failed !== undefined && (text?.chars ?? 0) > MESSAGE_MAX_CHARS)
  return long === undefined ? undefined : `an error text of ${long.text!.chars} characters`
}

const failureOf = ({ failed = "", ms, step, text }: Step, timeoutMs: number): Judged => {
  if (ms >= EARLY * timeoutMs) return { word: "timeout", detail: NAMES[step] }
  const detail = `${failed}: ${text?.excerpt ?? ""}`.slice(0, DETAIL_CHARS)
  return { word: BARE.has(failed) ? "bare error" : "typed error", detail }
}

const accepted = (scenario: Judgeable, used: Step | undefined): Judged => {
  const { outcome } = scenario.drive
  const right = rightAnswersOf(scenario)
  if (outcome === "failed" && used?.isError === true) return { word: "typed error", detail: "the tool's own" }
  if (outcome === "failed" || outcome === "refused") return { word: "wrong", detail: "took it for good" }
  const isRight = right.length === 0 || right.some((text) => used?.text?.holds.includes(text) === true)
  if (outcome === "answered" && !isRight) {
    return { word: "wrong", detail: "it is not the right answer" }
  }
  const chars = used?.text?.chars ?? 0
  return { word: "ok", detail: chars > 1024 * 1024 ? `${Math.round(chars / 1e5) / 10} million characters` : "" }
}

const lostOf = (good: ReadonlyArray<string>, { steps }: Observation): string | undefined => {
  const listed = steps.find(({ step }) => step === "list")?.tools
  const lost = listed === undefined ? [] : good.filter((name) => !listed.includes(name))
  return lost.length === 0 ? undefined : `lost good tools: ${lost.join(", ")}`
}

const judge = (scenario: Judgeable, seen: Observation): Judged => {
  const { drive, name } = scenario
  const { end, endDetail, left, steps, timeoutMs } = seen
  if (end === "crash") return { word: "crash", detail: endDetail }
  if (end === "hang") return { word: "hang", detail: endDetail === "" ? hanging(steps) : endDetail }
  const wrong =
    harmOf(seen) ?? forgeryOf(seen) ?? endlessMessageOf(seen) ?? lostOf(goodToolsOf(name), seen) ?? sufferingOf(seen)
  if (wrong !== undefined) return { word: "wrong", detail: wrong }
  if (left > 0) return { word: "left processes", detail: `left ${left} process${left === 1 ? "" : "es"}` }
  // What a server that is only to be closed answers before is its affair.
  if (drive.outcome === "gone") return { word: "ok", detail: "" }
  const failed = steps.find(({ failed, step }) => failed !== undefined && step !== "close")
  if (failed === undefined) {
    return accepted(
      scenario,
      steps.find(({ step }) => step === "use")
    )
  }
  const error = failureOf(failed, timeoutMs)
  const lost = goodToolsOf(name).length > 0 && failed.step !== "use" && error.word !== "timeout"
  return lost ? { word: "wrong", detail: `all its tools are lost: ${error.detail}`.slice(0, DETAIL_CHARS) } : error
}

const BEST: Readonly<Record<Drive["outcome"], ReadonlySet<Word>>> = {
  refused: new Set(["typed error"]),
  failed: new Set(["typed error"]),
  answered: new Set(["ok"]),
  bounded: new Set(["ok", "typed error"]),
  gone: new Set(["ok"])
}

/** The words that are as good as it gets. Where a server never answers, somebody has to lose patience. */
export const bestOf = ({ hangs, outcome }: Drive): ReadonlyArray<Word> => [
  ...BEST[outcome],
  ...(hangs === true && outcome !== "answered" && outcome !== "gone" ? (["timeout"] as const) : [])
]

export const classify = (scenario: Judgeable, seen: Observation): Verdict => {
  const judged = judge(scenario, seen)
  return { ...judged, honest: bestOf(scenario.drive).includes(judged.word) }
}
