/** JSON values from a server: measured before anything else, then cleaned string by string. */
import { SECRET_MASK_MIN_CHARS } from "../../../schemas/defaults/Secrets.ts"
import type { Finding } from "../../../schemas/content/Finding.ts"
import { isObject, type Json } from "../../../schemas/data/Json.ts"
import { textsOf } from "../../../schemas/data/PrimitiveLists.ts"
import type { ContentSanitizer } from "../../../services/content/ContentSanitizer.ts"

/** Replaces a list that spells a known secret. */
const MASK = "[REDACTED]"

/**
 * A bounded value with all strings cleaned, including keys; the same value when nothing changes. When keys become equal, the
 * last one wins. A list of bytes or letters that spells a known secret is replaced by the mask.
 */
export const cleanJson = (value: Json, clean: ContentSanitizer["Service"]["clean"], findings: Array<Finding>): Json => {
  const text = (dirty: string): string => {
    const cleaned = clean(dirty)
    if (cleaned.findings.length > 0) findings.push(...cleaned.findings)
    return cleaned.text
  }
  /** Digits may be a known secret, too: then the mask replaces them. */
  const number = (node: number): Json => {
    const digits = String(node)
    if (digits.length < SECRET_MASK_MIN_CHARS) return node
    const shown = text(digits)
    return shown === digits ? node : shown
  }
  const echoesIn = (list: ReadonlyArray<Json>): ReadonlyArray<Finding> =>
    textsOf(list)
      .map((spelled) => clean(spelled).findings.filter(({ kind }) => kind === "secretEcho"))
      .find((found) => found.length > 0) ?? []
  const walk = (node: Json): Json => {
    if (typeof node === "string") return text(node)
    if (typeof node === "number") return number(node)
    if (Array.isArray(node)) {
      const echoes = echoesIn(node)
      if (echoes.length > 0) {
        findings.push(...echoes)
        return MASK
      }
      const items = node.map(walk)
      return items.some((item, i) => item !== node[i]) ? items : node
    }
    if (!isObject(node)) return node
    const before = Object.entries(node) as ReadonlyArray<readonly [string, Json]>
    const after = before.map(([key, child]) => [text(key), walk(child)] as const)
    // `fromEntries` makes own properties, also for a key called __proto__.
    return after.some(([key, child], i) => key !== before[i]![0] || child !== before[i]![1])
      ? Object.fromEntries(after)
      : (node as Json)
  }
  return walk(value)
}

/** JSON escapes control characters, so that cleaning the JSON text would not find them. Tabs and line ends are harmless. */
const CONTROLS = /[\0-\x08\x0b\x0c\x0e-\x1f]/
const ALL_CONTROLS = new RegExp(CONTROLS, "g")

/**
 * A large value as JSON, without the control characters that its escapes would hide from the cleaning of the text. At most
 * `maxChars` are cleaned completely; from the rest only control characters are removed.
 */
export const jsonWithoutControls = (
  value: unknown,
  clean: ContentSanitizer["Service"]["clean"],
  maxChars: number,
  findings: Array<Finding>
): string => {
  let left = maxChars
  const text = (dirty: string): string => {
    if (!CONTROLS.test(dirty)) return dirty
    left -= dirty.length
    if (left < 0) {
      findings.push({ kind: "control", detail: "control characters", count: 1 })
      return dirty.replace(ALL_CONTROLS, "")
    }
    const cleaned = clean(dirty)
    findings.push(...cleaned.findings)
    return cleaned.text
  }
  return JSON.stringify(value, (_, node: unknown) => {
    if (typeof node === "string") return text(node)
    if (!isObject(node) || !Object.keys(node).some((key) => CONTROLS.test(key))) return node
    return Object.fromEntries(Object.entries(node).map(([key, member]) => [text(key), member]))
  })
}
