/**
 * The names in an `env`: such as can be names at all, and none that makes a program run other code (`DangerousEnvironment`)
 * unless it is allowed.
 */
import { refusedVariable, sameVariable } from "../connection/DangerousEnvironment.ts"
import type { Located } from "./KeyPath.ts"
import type { Report } from "./Report.ts"
import type { Resolved } from "./Resolve.ts"
import type { NamedText } from "./KeyPath.ts"

/**
 * The names of `allowEnv`, each once and in a fixed order. One that is in no need of it is warned of, as long as there are
 * `variables` to compare with.
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
    if (/[*?]/.test(text)) report.error(path, "takes exact names, and no patterns")
    else if (variables?.some(({ name }) => sameVariable(name, text)) === false) {
      report.warn(path, 'allows a variable that "env" does not set')
    }
  }
  return [...new Set(names.map(({ text }) => text))].toSorted()
}

/** What can be done about a name that is dangerous. */
const sayAllow = (name: string): string => `if that is meant, say so with "allowEnv": [${JSON.stringify(name)}]`

/** Without `allowed` only what no environment can hold is refused. `advise` where there is no `allowEnv`. */
export const checkVariables = (
  report: Report,
  variables: ReadonlyArray<NamedText>,
  allowed: ReadonlyArray<string> | undefined,
  advise: (name: string) => string = sayAllow
): void => {
  for (const { name, path } of variables) {
    if (name === "" || name === "__proto__" || /[=\0]/.test(name)) {
      report.error(path, "is no name for an environment variable")
    }
    const danger = allowed === undefined ? undefined : refusedVariable(name, allowed)
    if (danger !== undefined) {
      report.error(path, `can ${danger}: ${advise(name)}`)
    }
  }
}
