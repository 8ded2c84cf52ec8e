/**
 * Checks the structured content of a result against the tool's output schema. The schema is read once, with the first result.
 * Findings are in our own words, because a withheld result shows them to a model.
 */
import { SCHEMA_PATH_MAX_STEPS, SCHEMA_PATH_NAME_MAX_CHARS } from "../../../schemas/defaults/Definitions.ts"
import type { Finding } from "../../../schemas/content/Finding.ts"
import type { JsonObject } from "../../../schemas/data/Json.ts"
import { makeSchemaCheck } from "./schemaCheck.ts"
import type { ContentSanitizer } from "../../../services/content/ContentSanitizer.ts"
import { memoOf } from "../../../schemas/data/Memo.ts"

type Clean = ContentSanitizer["Service"]["clean"]

export interface OutputMismatch {
  readonly note: string
  /** Empty when it is unknown whether there is a mismatch. */
  readonly findings: ReadonlyArray<Finding>
}

/** Kept with the schema, which belongs to one definition as long as that is offered. */
const checkOf = memoOf((schema: JsonObject) => makeSchemaCheck(schema))

const found = (detail: string): ReadonlyArray<Finding> => [{ kind: "outputMismatch", detail, count: 1 }]

const MISSING: OutputMismatch = {
  note: "the structured content that the tool's output schema promises is missing",
  findings: found("missing")
}

const UNCHECKED: OutputMismatch = {
  note: "the structured content is not checked: its output schema is too complex",
  findings: []
}

export const mismatchOf = (
  value: unknown,
  schema: JsonObject,
  { clean }: { readonly clean: Clean }
): OutputMismatch | undefined => {
  if (value === undefined) return MISSING
  const checked = checkOf(schema)(value)
  switch (checked._tag) {
    case "Fits":
      return undefined
    case "GaveUp":
      return UNCHECKED
    case "Mismatch": {
      const place = placeOf(checked.path, clean)
      return {
        note: `the structured content does not match the tool's output schema: ${checked.keyword} at ${place}`,
        findings: found(checked.keyword)
      }
    }
  }
}

const WORD = new RegExp(`^[A-Za-z_]\\w{0,${SCHEMA_PATH_NAME_MAX_CHARS - 1}}$`)
const SEPARATORS = /_+|(?<=[a-z])(?=[A-Z])/g

/** A name in a schema comes from the server, too: it is repeated only if it cannot be a message. */
const isHarmless = (name: string, clean: Clean): boolean =>
  WORD.test(name) && clean(name).findings.length === 0 && clean(name.replace(SEPARATORS, " ")).findings.length === 0

const placeOf = (path: ReadonlyArray<string | number | undefined>, clean: Clean): string => {
  const shown = path.slice(-SCHEMA_PATH_MAX_STEPS).map((step) => {
    if (typeof step === "number") return `[${step}]`
    return step !== undefined && isHarmless(step, clean) ? `.${step}` : ".*"
  })
  return `${shown.length < path.length ? "$.…" : "$"}${shown.join("")}`
}
