/**
 * Collects what is wrong with a configuration while it is being read, so that all of it is told at once. The same
 * problem at the same place counts once, however many agents meet it.
 */
import type { ConfigIssue } from "../GatewayConfig.ts"
import { nearest } from "../Names.ts"
import type { KeyLines } from "./KeyLines.ts"
import { formatKeyPath, type KeyPath } from "./KeyPath.ts"

export interface Report {
  readonly error: (path: KeyPath, message: string) => void
  /** One that is `about: "credentials"` is told by every command, others by those that log warnings. */
  readonly warn: (path: KeyPath, message: string, about?: "credentials") => void
  /** How many errors there are by now; tells whether a step went well. */
  readonly errorCount: () => number
  /** Both in the order of the text. */
  readonly errors: () => ReadonlyArray<ConfigIssue>
  readonly warnings: () => ReadonlyArray<ConfigIssue>
}

export const makeReport = (file: string, lines: KeyLines): Report => {
  const collect = () => {
    const issues = new Map<string, ConfigIssue>()
    const add = (path: KeyPath, message: string, about?: "credentials") => {
      const issue = { file, line: lines.lineOf(path), path: formatKeyPath(path), message, ...(about && { about }) }
      issues.set(`${issue.path}\n${message}`, issue)
    }
    const inOrder = () => [...issues.values()].toSorted((a, b) => a.line - b.line)
    return { add, inOrder, count: () => issues.size }
  }
  const [errors, warnings] = [collect(), collect()]
  return {
    error: errors.add,
    warn: warnings.add,
    errorCount: errors.count,
    errors: errors.inOrder,
    warnings: warnings.inOrder
  }
}

/** The sentence for a key that nobody knows. */
export const unknownKey = (key: string, known: Iterable<string>): string => {
  const suggestion = nearest(key, known)
  return suggestion === null ? "unknown key" : `unknown key, did you mean "${suggestion}"?`
}
