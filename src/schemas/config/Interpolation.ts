/**
 * Expands `${NAME}` and `${NAME:-default}` in the strings of a configuration; `$${` stands for `${`. One pass: the value of a
 * variable is not searched again. As in a shell, the default also replaces a variable that is set but empty.
 */

export type Environment = Readonly<Record<string, string | undefined>>

export interface Interpolated {
  /** References without a value stay as they are. */
  readonly text: string
  /** Variables that are not set and have no default. */
  readonly missing: ReadonlyArray<string>
  /** Whether there is a `${` that begins neither a reference nor an escape. */
  readonly malformed: boolean
}

/** Escape, reference with an optional default, or anything else that begins like a reference. */
const REFERENCE = /\$\$\{|\$\{([A-Za-z_]\w*)(?::-((?:(?!\$\{)[^}])*))?\}|\$\{/g

const lookUp = (env: Environment, name: string): string | undefined =>
  // A plain object also inherits members that are not variables.
  typeof env[name] === "string" ? env[name] : undefined

export const interpolate = (text: string, env: Environment): Interpolated => {
  const missing: Array<string> = []
  let malformed = false
  const replaced = text.replace(REFERENCE, (match: string, name?: string, fallback?: string) => {
    if (match === "$${") return "${"
    if (name === undefined) {
      malformed = true
      return match
    }
    const value = lookUp(env, name)
    if (fallback !== undefined) return value === undefined || value === "" ? fallback : value
    if (value === undefined) missing.push(name)
    return value ?? match
  })
  return { text: replaced, missing, malformed }
}

/** A text with other words for its references, its escapes, and what only begins like one (these have no name). */
export const mapReferences = (
  text: string,
  map: (whole: string, name: string | undefined, fallback: string | undefined) => string
): string => text.replace(REFERENCE, (whole: string, name?: string, fallback?: string) => map(whole, name, fallback))

/** A literal text as it is written where variables are expanded. */
export const escapeReferences = (text: string): string => text.replaceAll("${", () => "$${")

/** The variables that a text refers to. */
export const variablesIn = (text: string): ReadonlyArray<string> => [
  ...new Set([...text.matchAll(REFERENCE)].flatMap(([, name]) => name ?? []))
]

/** The literal parts that the operator wrote: the text without its references, but with their defaults. */
export const literalPart = (text: string): string =>
  text.replace(REFERENCE, (match: string, name?: string, fallback?: string) =>
    name === undefined ? match : (fallback ?? "")
  )
