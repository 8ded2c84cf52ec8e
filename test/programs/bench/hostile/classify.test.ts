import { assert, describe, it } from "@effect/vitest"
import { bestOf, classify, type Judgeable } from "../../../../bench/hostile/classify.ts"
import type { Observation, Step, TextFacts } from "../../../../bench/hostile/observation.ts"
import type { Drive } from "../../../../bench/hostile/scenarios.ts"

const ECHO = { do: "call", tool: "echo", arguments: { text: "honest words" } } as const

const scenario = (outcome: Drive["outcome"], more: Partial<Drive> = {}, name = "any"): Judgeable => ({
  name,
  drive: { ...ECHO, ...more, outcome }
})

const facts = (more: Partial<TextFacts> = {}): TextFacts => ({
  chars: 10,
  excerpt: "text",
  holds: [],
  harms: [],
  ...more
})
const step = (name: Step["step"], more: Partial<Step> = {}): Step => ({
  step: name,
  ms: 10,
  peak: 1,
  stallMs: 1,
  ...more
})
const failed = (name: Step["step"], more: Partial<Step> = {}) =>
  step(name, { failed: "SomeError", text: facts(), ...more })

const CONNECTED = [step("connect"), step("list", { tools: ["echo"] })]
const RIGHT = step("use", { text: facts({ holds: ["honest words"] }) })

const seen = (steps: ReadonlyArray<Step>, more: Partial<Observation> = {}): Observation => ({
  steps: [...steps, step("close")],
  end: "done",
  endDetail: "",
  left: 0,
  timeoutMs: 4_000,
  ...more
})

describe("what a client comes to", () => {
  it("is ok with the right answer", () => {
    const verdict = classify(scenario("answered"), seen([...CONNECTED, RIGHT]))
    assert.deepStrictEqual(verdict, { word: "ok", detail: "", honest: true })
  })

  it("is wrong with another answer than what was sent", () => {
    const verdict = classify(scenario("answered"), seen([...CONNECTED, step("use", { text: facts() })]))
    assert.strictEqual(verdict.word, "wrong")
    assert.isFalse(verdict.honest)
  })

  it("is wrong with an answer that was forged, right as it may look", () => {
    const forged = step("use", { text: facts({ excerpt: "forged", holds: ["honest words"] }) })
    assert.strictEqual(classify(scenario("answered"), seen([...CONNECTED, forged])).word, "wrong")
  })

  it("is wrong where there was nothing to accept", () => {
    assert.strictEqual(classify(scenario("failed"), seen([...CONNECTED, RIGHT])).word, "wrong")
    assert.strictEqual(classify(scenario("refused", { do: "connect" }), seen(CONNECTED)).word, "wrong")
  })

  it("is a typed error where the tool itself says that it failed", () => {
    const verdict = classify(scenario("failed"), seen([...CONNECTED, step("use", { isError: true, text: facts() })]))
    assert.strictEqual(verdict.word, "typed error")
    assert.isTrue(verdict.honest)
  })

  it("is a typed error before the time is up, a timeout after", () => {
    const error = (ms: number) => seen([...CONNECTED, failed("use", { ms })])
    assert.strictEqual(classify(scenario("failed"), error(3_000)).word, "typed error")
    assert.strictEqual(classify(scenario("failed"), error(3_990)).word, "timeout")
  })

  it("is only as good as it gets with a timeout where the server never answers", () => {
    const late = seen([...CONNECTED, failed("use", { ms: 4_000 })])
    assert.isFalse(classify(scenario("failed"), late).honest)
    assert.isTrue(classify(scenario("failed", { hangs: true }), late).honest)
    assert.isFalse(classify(scenario("answered", { hangs: true }), late).honest)
  })

  it("is a bare error where the language says what went wrong", () => {
    const bare = seen([...CONNECTED, failed("use", { failed: "TypeError" })])
    assert.strictEqual(classify(scenario("failed"), bare).word, "bare error")
  })

  it("is wrong if an error message contains a whole page", () => {
    const page = seen([...CONNECTED, failed("use", { text: facts({ chars: 5_000_000 }) })])
    assert.strictEqual(classify(scenario("failed"), page).word, "wrong")
  })

  it("is wrong when all tools are lost for one", () => {
    for (const lost of [seen([step("connect"), failed("list")]), seen([failed("connect")])]) {
      const verdict = classify(scenario("answered", { do: "list" }, "bad-tool"), lost)
      assert.strictEqual(verdict.word, "wrong")
      assert.include(verdict.detail, "all its tools are lost")
      assert.strictEqual(
        classify(scenario("answered", {}, "a server that speaks nothing we know"), lost).word,
        "typed error"
      )
    }
  })

  it("is wrong when good tools are missing from a list", () => {
    const row = scenario("answered", { do: "list" }, "pages:3")
    const verdict = classify(row, seen([step("connect"), step("list", { tools: ["echo", "page_1"] })]))
    assert.deepStrictEqual(verdict, { word: "wrong", detail: "lost good tools: page_2, page_3", honest: false })
  })

  it("is wrong when harm comes through, in a list, an answer or an error", () => {
    const harm = { text: facts({ harms: ["secret", "control"], holds: ["honest words"] }) }
    const trials = [
      seen([step("connect"), step("list", harm), RIGHT]),
      seen([...CONNECTED, step("use", harm)]),
      seen([...CONNECTED, failed("use", harm)])
    ]
    for (const trial of trials) {
      const verdict = classify(scenario("bounded"), trial)
      assert.strictEqual(verdict.word, "wrong")
      assert.include(verdict.detail, "the secret")
    }
  })

  it("is wrong when an honest server beside it has to suffer, however well it went otherwise", () => {
    const suffers = { ...RIGHT, besideMs: 4_000, besideFailed: "Timeout: no answer" }
    const verdict = classify(scenario("answered"), seen([...CONNECTED, suffers]))
    assert.strictEqual(verdict.word, "wrong")
    assert.include(verdict.detail, "an honest server beside it fails: Timeout")
  })

  it("counts leftovers, whatever the answer was", () => {
    const closing = scenario("gone", { do: "close" })
    assert.strictEqual(classify(closing, seen([...CONNECTED, failed("use")])).word, "ok")
    const verdict = classify(closing, seen([...CONNECTED, RIGHT], { left: 2 }))
    assert.deepStrictEqual(verdict, { word: "left processes", detail: "left 2 processes", honest: false })
    assert.strictEqual(classify(scenario("answered"), seen([...CONNECTED, RIGHT], { left: 1 })).word, "left processes")
  })

  it("is a crash with its reason, or a hang with what hangs, before everything else", () => {
    const crash = classify(scenario("answered"), seen([], { end: "crash", endDetail: "SIGSEGV", left: 3 }))
    assert.deepStrictEqual(crash, { word: "crash", detail: "SIGSEGV", honest: false })
    const hang = (...steps: ReadonlyArray<Step>) =>
      classify(scenario("bounded", { hangs: true }), { ...seen([]), steps, end: "hang" })
    assert.deepStrictEqual(hang(), { word: "hang", detail: "connecting", honest: false })
    assert.strictEqual(hang(...CONNECTED).detail, "the call")
    assert.strictEqual(hang(step("connect"), failed("list")).detail, "closing")
  })
})

describe("what is as good as it gets", () => {
  it("is an error where a server has nothing right to say, and an answer where it has", () => {
    assert.deepStrictEqual(bestOf(scenario("refused").drive), ["typed error"])
    assert.deepStrictEqual(bestOf(scenario("answered").drive), ["ok"])
    assert.deepStrictEqual(bestOf(scenario("bounded").drive), ["ok", "typed error"])
    assert.deepStrictEqual(bestOf(scenario("failed", { hangs: true }).drive), ["typed error", "timeout"])
  })
})
