/** Findings as text for a person, within the width of the terminal. Pure. */
import { inOneLine } from "../../../schemas/data/Whitespace.ts"
import type { Facts } from "../../../schemas/doctor/Facts.ts"
import { countsOf, type Finding } from "../../../schemas/doctor/Finding.ts"

const LABELS = { error: "ERROR", warning: "WARNING", info: "NOTE" } as const
const INDENT = "  "
/** A terminal that claims to be narrower is not believed; a wider one is not filled. */
const NARROWEST = 40
const WIDEST = 110

/** Texts may quote servers and files: nothing in them moves the cursor or begins a line of its own. */
const safe = (text: string): string => inOneLine(text).replace(/[\p{C}\p{Zl}\p{Zp}]/gu, "\ufffd")

/** Words in lines; a word that is longer than a line stays whole, so that it can be copied. */
const wrapped = (text: string, first: string, rest: string, width: number): string => {
  const lines = [first]
  let isEmpty = true
  for (const word of safe(text).split(" ").filter(Boolean)) {
    const last = lines.at(-1)!
    if (isEmpty || last.length + 1 + word.length <= width)
      lines[lines.length - 1] = `${last}${isEmpty ? "" : " "}${word}`
    else lines.push(`${rest}${word}`)
    isEmpty = false
  }
  return lines.join("\n")
}

const within = (width: number): number => Math.min(WIDEST, Math.max(NARROWEST, width))

export const renderFinding = ({ id, mend, server, severity, what, why }: Finding, width: number): string => {
  const room = within(width)
  const more = `${INDENT}${INDENT}`
  return [
    `${LABELS[severity]} ${id}${server === null ? "" : ` [${safe(server)}]`}`,
    wrapped(what, INDENT, INDENT, room),
    wrapped(why, `${INDENT}so:   `, `${more}    `, room),
    wrapped(mend, `${INDENT}mend: `, `${more}    `, room)
  ].join("\n")
}

const lookedAt = ({ faults, file, running, servers }: Facts, offline: boolean): string => {
  if (file !== undefined && servers.length === 0 && faults.length > 0)
    return `${safe(file)}: it cannot be used as it is, so its servers were not checked`
  const one = servers.length === 1
  const started = offline ? "not started" : one ? "started once" : "each started once"
  const how = running ? `as the running gateway has ${one ? "it" : "them"}` : started
  const count = `${servers.length} server${one ? "" : "s"}`
  return `${file === undefined ? "No configuration" : safe(file)}: ${count}${servers.length === 0 ? "" : `, ${how}`}`
}

export const renderAll = (facts: Facts, findings: ReadonlyArray<Finding>, offline: boolean, width: number): string =>
  [
    lookedAt(facts, offline),
    ...findings.map((finding) => renderFinding(finding, width)),
    findings.length === 0 ? "Nothing is wrong." : `${countsOf(findings)}.`
  ].join("\n\n")
