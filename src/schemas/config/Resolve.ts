/**
 * From the strings of a configuration to the strings that are meant: variables put in, home directory and relative
 * paths expanded. Problems are told by key, never with the text, which may hold a secret.
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
  /** Relative paths count from here. */
  readonly directory: string
  readonly home: string
  readonly env: Environment
  /** The program may bring secret providers of its own: one that is not built in is a warning then, and no error. */
  readonly foreignProviders?: boolean | undefined
  /** Whether there is something at a path; where nobody can say, nothing is said of what is missing. */
  readonly isThere?: ((path: string) => boolean) | undefined
}

/** One string after interpolation; `complete` is false when a variable had no value and the rest cannot be judged. */
export interface Resolved {
  readonly path: KeyPath
  readonly text: string
  readonly complete: boolean
}

/** Reports variables without a value only when the string is `needed`. */
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
        "holds a ${ that is no reference: write ${NAME} or ${NAME:-default}, or $${ for itself"
      )
    }
  }
  return { path: located.path, text, complete: missing.length === 0 && !malformed }
}

/**
 * One of the words of a schema, once its variables are put in. Nothing is said of one whose variables have no value: that is
 * told already.
 */
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

/** A bare name is looked up by the system; what has a separator is a path. */
export const expandCommand = (command: string, cwd: string | undefined, { directory, home }: Surroundings): string => {
  const path = expandHome(command, home)
  if (isAbsolute(path) || !(path.includes("/") || path.includes(sep))) return path
  return resolve(cwd ?? directory, path)
}

export const warnOfSpaces = (report: Report, { path, text }: Resolved): void => {
  if (/^[^\s/\\]+\s/.test(text)) {
    report.warn(path, 'holds a space: only the program stands here, its arguments stand in "args"')
  }
}

/** What was masked for a display, and came back from there, would overwrite the value that `name` stands for. */
export const refuseMask = (report: Report, { path, text }: Resolved, name = ""): void => {
  if (isMaskedText(text, name)) report.error(path, MASKED)
}

/** The name of the option that the argument at `index` is the value of: `--token` before `***`. */
export const optionBefore = (args: ReadonlyArray<Located<string>>, index: number): string =>
  optionIn(args[index - 1]?.value ?? "")

/** The argument where it is an option that a value may follow, else nothing. */
export const optionIn = (argument: string): string => (/^-[^=\s]{1,128}$/.test(argument) ? argument : "")

export const refuseMaskedUrl = (report: Report, { path, text }: Resolved): void => {
  if (isMaskedUrl(text)) report.error(path, MASKED)
}

/** References are resolved in values that only the server sees; a program or a directory must be told openly. */
export const refuseSecret = (report: Report, { path, text }: Resolved): void => {
  if (text.includes(SECRET_SCHEME)) report.unmet(path, `cannot hold a ${SECRET_SCHEME} reference`)
}

/** An address that `fetch` will take. A reference may stand for all of it, which is then checked at the connection. */
export const checkUrl = (report: Report, { complete, path, text }: Resolved): void => {
  if (!complete || text.startsWith(SECRET_SCHEME)) return
  const url = URL.parse(text)
  if (url === null || (url.protocol !== "http:" && url.protocol !== "https:")) {
    report.error(path, "must be an http:// or https:// address")
  } else if (url.username !== "" || url.password !== "") {
    report.error(path, "must not hold a user name or a password: put them in headers")
  }
}
