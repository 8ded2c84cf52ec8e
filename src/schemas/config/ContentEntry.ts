/** `contentMode` and `onFinding` of a server: how a model is shown its text, and when it is not shown. */
import { CONTENT_MODES, type ContentPolicy, DEFAULT_CONTENT_POLICY } from "../content/ContentPolicy.ts"
import { FINDING_KINDS, type FindingKind } from "../content/Finding.ts"
import { isObject } from "../data/Json.ts"
import { nearest } from "../call/Names.ts"
import * as Field from "./Fields.ts"
import type { Located } from "./KeyPath.ts"
import { type Report, unknownKey } from "./Report.ts"
import { chooseWord, type Resolved } from "./Resolve.ts"

const CHOICES = ["report", "withhold"] as const

/** One word for every kind of finding, or words for some of them; the others are reported. */
export type OnFinding = string | ReadonlyArray<readonly [kind: FindingKind, choice: Located<string>]>

const isKind = (word: string): word is FindingKind => FINDING_KINDS.some((kind) => kind === word)

export const readOnFinding: Field.Read<OnFinding> = (report, path, value) => {
  if (typeof value === "string") return Field.text(report, path, value)
  if (!isObject(value)) {
    report.error(path, `must be "report", "withhold" or an object with kinds of findings, is ${Field.show(value)}`)
    return undefined
  }
  return Field.membersOf(value).flatMap(([kind, raw]) => {
    const place = [...path, kind]
    if (!isKind(kind)) {
      const suggests = nearest(kind, FINDING_KINDS) !== null
      const there = `unknown kind of finding: there are ${FINDING_KINDS.join(", ")}`
      report.error(place, suggests ? unknownKey(kind, FINDING_KINDS) : there)
      return []
    }
    const choice = typeof raw === "string" ? Field.text(report, place, raw) : undefined
    if (typeof raw !== "string") report.error(place, `must be "report" or "withhold", is ${Field.show(raw)}`)
    return choice === undefined ? [] : [[kind, { path: place, value: choice }] as const]
  })
}

interface ContentFields {
  readonly contentMode?: Located<string> | undefined
  readonly onFinding?: Located<OnFinding> | undefined
}

/** `resolve` puts variables in. What cannot be read is reported, and the default stands for it. */
export const buildContent = (
  report: Report,
  resolve: (located: Located<string>) => Resolved,
  { contentMode, onFinding }: ContentFields
): ContentPolicy => {
  const isWithheld = (located: Located<string>) => chooseWord(report, CHOICES, located, resolve(located)) === "withhold"
  const withheld = (chosen: Located<OnFinding>): ReadonlyArray<FindingKind> => {
    const { path, value } = chosen
    if (typeof value === "string") return isWithheld({ path, value }) ? FINDING_KINDS : []
    return value.filter(([, choice]) => isWithheld(choice)).map(([kind]) => kind)
  }
  const mode =
    contentMode === undefined ? undefined : chooseWord(report, CONTENT_MODES, contentMode, resolve(contentMode))
  return {
    mode: mode ?? DEFAULT_CONTENT_POLICY.mode,
    withhold: onFinding === undefined ? DEFAULT_CONTENT_POLICY.withhold : withheld(onFinding)
  }
}
