/**
 * `npm run bench:sanitizer`: what the sanitiser catches of a corpus of attacks and what it finds in a corpus of honest
 * texts, per class with 95 % intervals; how fast it is beside OpenClaw's wrapper; whether its time is linear. Writes
 * `results/sanitizer.{json,md}` and the tables in docs/content.md; with `-- --quick` it only counts. `-- --missed` also names what was missed of the half of
 * the items that is for improving, never of the other. Exits with 1 when a goal is missed.
 */
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as ContentSanitizerLayer from "../../src/layers/content/ContentSanitizer.ts"
import * as RedactorLayer from "../../src/layers/content/Redactor.ts"
import { ContentSanitizer } from "../../src/services/content/ContentSanitizer.ts"
import { machine } from "../lib/machine.ts"
import { loadCorpus } from "./corpus.ts"
import { isCaught } from "./grade.ts"
import { bodyOf, loadOpenClaw } from "./openclaw.ts"
import { asText, verdictsOf, write } from "./report.ts"
import { scoreOf } from "./score.ts"
import { measureGrowth, measureSpeed } from "./speed.ts"

const where = machine()
const sanitizer = await Effect.runPromise(
  Effect.provide(ContentSanitizer, ContentSanitizerLayer.layer.pipe(Layer.provide(RedactorLayer.layer)))
)
const { measured, published } = await loadOpenClaw()

const attacks = loadCorpus("attacks")
const benign = loadCorpus("benign")

/** They name their replacement of the closing marker apart. */
const plain = (wrapped: string) => bodyOf(wrapped).replaceAll("[[END_MARKER_", "[[MARKER_")

for (const { text } of [...attacks.values(), ...benign.values()].flat()) {
  const agree =
    plain(measured.wrap(text)) === plain(published.wrap(text)) && measured.detect(text) === published.detect(text)
  if (!agree) throw new Error(`the algorithm here is not OpenClaw's: ${JSON.stringify(text.slice(0, 200))}`)
}
// A judge who would also pass what nobody has touched is no judge.
for (const [name, items] of attacks) {
  const passed = items.find((item) => isCaught(name, item, { text: item.text, findings: [] }))
  if (passed !== undefined) throw new Error(`${passed.id} counts as caught although nothing was done`)
}

const score = scoreOf(attacks, benign, {
  ours: (text) => sanitizer.clean(text),
  theirs: (text) => ({
    text: bodyOf(measured.wrap(text)),
    findings: measured.detect(text) > 0 ? [{ kind: "pattern" }] : []
  })
})
const isQuick = process.argv.includes("--quick")
const speeds = isQuick ? [] : await measureSpeed(sanitizer, measured, benign)
const growths = isQuick ? [] : await measureGrowth(sanitizer)

const report = { where, peer: measured.name, score, speeds, growths }
process.stdout.write(asText(report))
if (process.argv.includes("--missed")) {
  for (const line of score.missed) process.stdout.write(`${line}\n`)
}
if (!isQuick) write(report)
if (verdictsOf(report).some(({ pass }) => !pass)) process.exitCode = 1
