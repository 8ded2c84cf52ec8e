/**
 * Collects what is wrong with a configuration while it is being read, so that all of it is told at once. The same
 * problem at the same place counts once, however many agents meet it.
 */
import type { ConfigIssue } from "./ConfigIssue.ts"
import { nearest } from "../call/Names.ts"
import type { KeyLines } from "./KeyLines.ts"
import { formatKeyPath, type KeyPath } from "./KeyPath.ts"

export interface Report {
  readonly error: (path: KeyPath, message: string) => void
  /**
   * What a text refers to cannot be had. It is an error, and in a part (a server, a model, a provider of secrets, a client)
   * the fault of that part alone: `validate` tells it like an error, and the others work.
   */
  readonly unmet: (path: KeyPath, message: string) => void
  /** One that is `about: "credentials"` is told by every command, others by those that log warnings. */
  readonly warn: (path: KeyPath, message: string, about?: "credentials") => void
  /** How many errors there are by now; tells whether a step went well. */
  readonly errorCount: () => number
  /** Both in the order of the text. */
  readonly errors: () => ReadonlyArray<ConfigIssue>
  readonly warnings: () => ReadonlyArray<ConfigIssue>
}

/** Of one part, such as a server as one agent has it. */
export interface PartReport extends Report {
  /** The first reason why it cannot be used. */
  readonly fault: () => ConfigIssue | undefined
}

export interface WholeReport extends Report {
  readonly ofPart: () => PartReport
  /** Of all parts, in the order of the text. */
  readonly faults: () => ReadonlyArray<ConfigIssue>
}

const inOrderOfLines = (issues: Iterable<ConfigIssue>): ReadonlyArray<ConfigIssue> =>
  [...issues].toSorted((a, b) => a.line - b.line)

export const makeReport = (file: string, lines: KeyLines): WholeReport => {
  const collect = () => {
    const issues = new Map<string, ConfigIssue>()
    const add = (path: KeyPath, message: string, about?: "credentials") => {
      const issue = { file, line: lines.lineOf(path), path: formatKeyPath(path), message, ...(about && { about }) }
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
    // Who mends the errors wants to know of the faults as well.
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

/** The sentence for a key that nobody knows. */
export const unknownKey = (key: string, known: Iterable<string>): string => {
  const suggestion = nearest(key, known)
  return suggestion === null ? "unknown key" : `unknown key, did you mean "${suggestion}"?`
}
