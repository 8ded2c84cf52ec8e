/**
 * Collects the problems of a configuration while it is decoded, so that all are reported at once. The same problem at the
 * same place counts once, however many agents meet it.
 */
import type { ConfigIssue } from "./ConfigIssue.ts"
import { nearest } from "../call/Names.ts"
import type { KeyLines } from "./KeyLines.ts"
import { formatKeyPath, type KeyPath } from "./KeyPath.ts"

export interface Report {
  readonly error: (path: KeyPath, message: string) => void
  /**
   * Something that a text refers to is missing. This is an error, except in a part (a server, model, secret provider or
   * client): there it is a fault of that part only. `validate` reports it like an error, but the other parts work.
   */
  readonly unmet: (path: KeyPath, message: string) => void
  /** Every command shows warnings with `about: "credentials"`; others are shown by commands that log warnings. */
  readonly warn: (path: KeyPath, message: string, about?: "credentials") => void
  /** The number of errors so far; tells whether a step succeeded. */
  readonly errorCount: () => number
  /** Both in the order of the text. */
  readonly errors: () => ReadonlyArray<ConfigIssue>
  readonly warnings: () => ReadonlyArray<ConfigIssue>
}

/** The report of one part, such as a server as one agent has it. */
export interface PartReport extends Report {
  /** The first reason why it cannot be used. */
  readonly fault: () => ConfigIssue | undefined
}

export interface WholeReport extends Report {
  readonly ofPart: () => PartReport
  /** The faults of all parts, in the order of the text. */
  readonly faults: () => ReadonlyArray<ConfigIssue>
}

const inOrderOfLines = (issues: Iterable<ConfigIssue>): ReadonlyArray<ConfigIssue> =>
  [...issues].toSorted((a, b) => a.line - b.line)

export const makeReport = (file: string, lines: KeyLines): WholeReport => {
  const collect = () => {
    const issues = new Map<string, ConfigIssue>()
    const add = (path: KeyPath, message: string, about?: "credentials") => {
      const place = formatKeyPath(lines.sourceOf?.(path) ?? path)
      const issue = { file, line: lines.lineOf(path), path: place, message, ...(about && { about }) }
      issues.set(`${issue.path}\n${message}`, issue)
      return issue
    }
    return { add, inOrder: () => inOrderOfLines(issues.values()), count: () => issues.size }
  }
  const [errors, warnings, faults] = [collect(), collect(), collect()]
  const report: Report = {
    error: errors.add,
    unmet: errors.add,
    warn: warnings.add,
    errorCount: errors.count,
    // A person who fixes errors wants to see the faults as well.
    errors: () => (errors.count() === 0 ? [] : inOrderOfLines([...errors.inOrder(), ...faults.inOrder()])),
    warnings: warnings.inOrder
  }
  return {
    ...report,
    faults: faults.inOrder,
    ofPart: () => {
      let first: ConfigIssue | undefined
      return {
        ...report,
        unmet: (path, message) => {
          const issue = faults.add(path, message)
          first ??= issue
        },
        fault: () => first
      }
    }
  }
}

/** The error for an unknown key. */
export const unknownKey = (key: string, known: Iterable<string>): string => {
  const suggestion = nearest(key, known)
  return suggestion === null ? "unknown key" : `unknown key, did you mean "${suggestion}"?`
}
