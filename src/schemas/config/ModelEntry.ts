/**
 * `model` of an agent: `"provider/model"`, or an object with `id` (or `primary`), `baseUrl` and `apiKey`. The model of an
 * agent replaces the default as a whole, so that the key of one provider never goes to the URL of another.
 */
import type { ModelConfig } from "./GatewayConfig.ts"
import { isObject } from "../data/Json.ts"
import { nearest } from "../call/Names.ts"
import { warnOfModelCredentials } from "./Credentials.ts"
import * as Field from "./Fields.ts"
import { optional, text } from "./Keys.ts"
import type { KeyPath, Located } from "./KeyPath.ts"
import { readValue } from "./ReadKeys.ts"
import type { Report, WholeReport } from "./Report.ts"
import { checkReferences, type KnownSecrets } from "./References.ts"
import { checkUrl, refuseMask, refuseSecret, resolveText, type Surroundings } from "./Resolve.ts"

export interface ModelEntry {
  readonly id: Located<string>
  readonly baseUrl: Located<string> | undefined
  readonly apiKey: Located<string> | undefined
}

export const MODEL_KEYS = {
  id: optional(text, "none", '`"provider/model"`, or the name of a model at `baseUrl`'),
  primary: optional(text, "none", "the same as `id`"),
  baseUrl: optional(text, "the provider's own", "the URL of any OpenAI-compatible endpoint"),
  apiKey: optional(text, "the provider's usual variable", "may be a `secret://` reference")
}
const KEYS = Object.keys(MODEL_KEYS)

export const readModel = (report: Report, path: KeyPath, value: unknown): ModelEntry | undefined => {
  if (!isObject(value)) {
    const id = typeof value === "string" ? readValue(text, report, path, value) : undefined
    if (typeof value !== "string") {
      report.error(path, `must be "provider/model" or an object with "id", is ${Field.kindOf(value)}`)
    }
    return id === undefined ? undefined : { id: { path, value: id }, baseUrl: undefined, apiKey: undefined }
  }
  for (const [key] of Field.membersOf(value)) {
    if (KEYS.includes(key)) continue
    const slip = nearest(key, KEYS)
    if (slip === null) report.warn([...path, key], "has no effect here")
    else report.error([...path, key], `unknown key, did you mean "${slip}"?`)
  }
  const take = (key: string): Located<string> | undefined => {
    const raw = Field.member(value, key)
    const read = raw === undefined ? undefined : readValue(text, report, [...path, key], raw)
    return read === undefined ? undefined : { path: [...path, key], value: read }
  }
  const [id, primary, baseUrl, apiKey] = [take("id"), take("primary"), take("baseUrl"), take("apiKey")]
  if (id !== undefined && primary !== undefined) report.error(primary.path, 'means the same as "id": keep one')
  const named = id ?? primary
  if (named === undefined) {
    // An object without any of our keys (OpenClaw allows `fallbacks` alone) does not configure a model.
    const unnamed = Field.member(value, "id") === undefined && Field.member(value, "primary") === undefined
    if (unnamed && (baseUrl ?? apiKey) !== undefined) {
      report.error(path, 'needs an "id": "provider/model", or the name of a model at "baseUrl"')
    }
    return undefined
  }
  if (apiKey !== undefined) warnOfModelCredentials(report, apiKey)
  return { id: named, baseUrl, apiKey }
}

export const buildModel = (
  whole: WholeReport,
  surroundings: Surroundings & KnownSecrets,
  entry: ModelEntry
): ModelConfig => {
  const report = whole.ofPart()
  const resolve = (located: Located<string>) => resolveText(report, surroundings.env, true, located)
  const id = resolve(entry.id)
  const baseUrl = entry.baseUrl === undefined ? undefined : resolve(entry.baseUrl)
  if (id.text.trim() === "") report.error(id.path, "must not be empty")
  if (baseUrl !== undefined) {
    refuseSecret(report, baseUrl)
    checkUrl(report, baseUrl)
  }
  const apiKey = entry.apiKey === undefined ? undefined : resolve(entry.apiKey)
  if (entry.apiKey !== undefined) {
    checkReferences(report, surroundings, entry.apiKey, { consequence: "the model cannot be used without" })
  }
  if (apiKey !== undefined) refuseMask(report, apiKey, "apiKey")
  const fault = report.fault()
  return { id: id.text, baseUrl: baseUrl?.text, apiKey: apiKey?.text, ...(fault !== undefined && { fault }) }
}
