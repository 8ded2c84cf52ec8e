/**
 * Resolves the strings of a configuration: expands variables, the home directory and relative paths. Errors name the key and
 * never show the text, which may contain a secret.
 */
import type * as Schema from "effect/Schema"
import { isAbsolute, join, resolve, sep } from "node:path"
import { isMaskedText, isMaskedUrl } from "../secret/MaskedText.ts"
import { SECRET_SCHEME } from "../secret/SecretReference.ts"
import { oneOf } from "./Fields.ts"
import { type Environment, interpolate } from "./Interpolation.ts"
import { notesOf } from "./Notes.ts"
import type { KeyPath, Located } from "./KeyPath.ts"
import type { Report } from "./Report.ts"

const MASKED = "is a mask, not a value: it was written back from a display"

/** What a configuration refers to outside of itself. */
export interface Surroundings {
  /** The base of relative paths. */
  readonly directory: string
  readonly home: string
  readonly env: Environment
  /** The program may bring secret providers of its own: an unknown one is then only a warning. */
  readonly foreignProviders?: boolean | undefined
  /** Whether a path exists; without this function, missing paths are not reported. */
  readonly isThere?: ((path: string) => boolean) | undefined
}

/** A string after interpolation; `complete` is false when a variable had no value, so that the rest cannot be checked. */
export interface Resolved {
  readonly path: KeyPath
  readonly text: string
  readonly complete: boolean
}

/** Reports variables without a value only if the string is `needed`. */
export const resolveText = (report: Report, env: Environment, needed: boolean, located: Located<string>): Resolved => {
  const { malformed, missing, text } = interpolate(located.value, env)
  if (needed) {
    for (const name of missing) {
      report.unmet(
        located.path,
        `environment variable ${name} is not set: set it, or give a default with \${${name}:-value}`
      )
    }
    if (malformed) {
      report.unmet(
        located.path,
        "contains a ${ that is not a reference: write ${NAME} or ${NAME:-default}, or $${ for itself"
      )
    }
  }
  return { path: located.path, text, complete: missing.length === 0 && !malformed }
}

/** A choice of words after expansion. If a variable has no value, that has been reported already. */
export const chooseWord = <A>(
  report: Report,
  { ast }: Schema.Codec<A, unknown>,
  raw: Located<string>,
  { complete, text }: Resolved
): Extract<A, string> | undefined => {
  const { choices = [], problem } = notesOf(ast)
  const chosen = choices.find((choice) => choice === text)
  if (chosen === undefined && complete) report.error(raw.path, problem?.(raw.value) ?? `must be ${oneOf(choices)}`)
  return chosen as Extract<A, string> | undefined
}

export const expandHome = (path: string, home: string): string =>
  path === "~" ? home : path.startsWith("~/") || path.startsWith(`~${sep}`) ? join(home, path.slice(2)) : path

export const expandDirectory = (path: string, { directory, home }: Surroundings): string =>
  resolve(directory, expandHome(path, home))

/** Only a leading `~/`: elsewhere in an argument it may mean anything. */
export const expandArgument = (argument: string, home: string): string =>
  argument.startsWith("~/") ? expandHome(argument, home) : argument

/** The system looks up a bare name; anything with a separator is a path. */
export const expandCommand = (command: string, cwd: string | undefined, { directory, home }: Surroundings): string => {
  const path = expandHome(command, home)
  if (isAbsolute(path) || !(path.includes("/") || path.includes(sep))) return path
  return resolve(cwd ?? directory, path)
}

export const warnOfSpaces = (report: Report, { path, text }: Resolved): void => {
  if (/^[^\s/\\]+\s/.test(text)) {
    report.warn(path, 'contains a space: this is only the program, its arguments belong in "args"')
  }
}

/** A mask that was copied back from a display would overwrite the value of `name`. */
export const refuseMask = (report: Report, { path, text }: Resolved, name = ""): void => {
  if (isMaskedText(text, name)) report.error(path, MASKED)
}

/** The name of the option before the argument at `index`: `--token` before `***`. */
export const optionBefore = (args: ReadonlyArray<Located<string>>, index: number): string =>
  optionIn(args[index - 1]?.value ?? "")

/** The argument if it is an option that takes a value, else an empty text. */
export const optionIn = (argument: string): string => (/^-[^=\s]{1,128}$/.test(argument) ? argument : "")

export const refuseMaskedUrl = (report: Report, { path, text }: Resolved): void => {
  if (isMaskedUrl(text)) report.error(path, MASKED)
}

/** References are resolved only in values that nobody but the server sees; a program or directory must be plain text. */
export const refuseSecret = (report: Report, { path, text }: Resolved): void => {
  if (text.includes(SECRET_SCHEME)) report.unmet(path, `cannot contain a ${SECRET_SCHEME} reference`)
}

/** A URL that `fetch` accepts. A reference may stand for all of it; it is then checked at the connection. */
export const checkUrl = (report: Report, { complete, path, text }: Resolved): void => {
  if (!complete || text.startsWith(SECRET_SCHEME)) return
  const url = URL.parse(text)
  if (url === null || (url.protocol !== "http:" && url.protocol !== "https:")) {
    report.error(path, "must be an http:// or https:// address")
  } else if (url.username !== "" || url.password !== "") {
    report.error(path, "must not contain a user name or a password: put them in headers")
  }
}
