/** What `doctor` reports: one finding for each thing that is wrong or worth knowing. */

/** `error`: something does not work. `warning`: it works badly, or soon will not. `info`: worth knowing. */
export const SEVERITIES = ["error", "warning", "info"] as const
export type Severity = (typeof SEVERITIES)[number]

/** How `--fix` mends a finding. Only what mcp-live itself has made is changed. */
export type Fix =
  | { readonly _tag: "RemoveFiles"; readonly paths: ReadonlyArray<string> }
  | { readonly _tag: "BreakLocks"; readonly paths: ReadonlyArray<string> }
  | { readonly _tag: "SetMode"; readonly path: string; readonly mode: number }
  /** Ends what gateways that are gone have left running; who that is, is looked up again. */
  | { readonly _tag: "EndOrphans" }

export interface Finding {
  /** Stable from version to version. */
  readonly id: string
  readonly severity: Severity
  /** `null` when it is not about one server. */
  readonly server: string | null
  /** What was found. */
  readonly what: string
  /** Why it matters, in a few words: what follows from it, not what caused it. */
  readonly why: string
  /** A command, the lines to write, or what else helps. */
  readonly mend: string
  readonly fix?: Fix | undefined
}

/** Whether something has to be mended: `info` alone is none. */
export const isWrong = (findings: ReadonlyArray<Finding>): boolean =>
  findings.some(({ severity }) => severity !== "info")

/** `2 errors, 1 warning, 3 notes`; empty without findings. */
export const countsOf = (findings: ReadonlyArray<Finding>): string =>
  SEVERITIES.flatMap((severity) => {
    const count = findings.filter((finding) => finding.severity === severity).length
    const word = severity === "info" ? "note" : severity
    return count === 0 ? [] : [`${count} ${word}${count === 1 ? "" : "s"}`]
  }).join(", ")
