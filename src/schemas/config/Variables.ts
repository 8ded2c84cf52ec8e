/**
 * Checks the names in an `env`: they must be valid, and must not make a program run other code (`DangerousEnvironment`)
 * unless that is allowed.
 */
import { refusedVariable, sameVariable } from "../connection/DangerousEnvironment.ts"
import type { Located } from "./KeyPath.ts"
import type { Report } from "./Report.ts"
import type { Resolved } from "./Resolve.ts"
import type { NamedText } from "./KeyPath.ts"

/**
 * The names of `allowEnv`, each once and sorted. A name that needs no permission causes a warning, if there are `variables`
 * to compare with.
 */
export const readAllowed = (
  report: Report,
  resolve: (located: Located<string>) => Resolved,
  variables: ReadonlyArray<NamedText> | undefined,
  given: ReadonlyArray<Located<string>>
): ReadonlyArray<string> => {
  const names = given.map(resolve)
  for (const { complete, path, text } of names) {
    if (!complete) continue
    if (/[*?]/.test(text)) report.error(path, "takes exact names, not patterns")
    else if (variables?.some(({ name }) => sameVariable(name, text)) === false) {
      report.warn(path, 'allows a variable that "env" does not set')
    }
  }
  return [...new Set(names.map(({ text }) => text))].toSorted()
}

/** What to do about a dangerous name. */
const sayAllow = (name: string): string => `if you mean it, allow it with "allowEnv": [${JSON.stringify(name)}]`

/** Without `allowed`, only names that no environment can have are refused. `advise` is for places without an `allowEnv`. */
export const checkVariables = (
  report: Report,
  variables: ReadonlyArray<NamedText>,
  allowed: ReadonlyArray<string> | undefined,
  advise: (name: string) => string = sayAllow
): void => {
  for (const { name, path } of variables) {
    if (name === "" || name === "__proto__" || /[=\0]/.test(name)) {
      report.error(path, "is not a valid name of an environment variable")
    }
    const danger = allowed === undefined ? undefined : refusedVariable(name, allowed)
    if (danger !== undefined) {
      report.error(path, `can ${danger}: ${advise(name)}`)
    }
  }
}
