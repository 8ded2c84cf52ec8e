/** The entry of a server whose command or address a person gives in words. Pure. */
import * as Result from "effect/Result"
import { isAbsolute, resolve } from "node:path"
import { type Entry, withFolder } from "./clients/ImportPlan.ts"

type Read<A> = Result.Result<A, string>

// ---- its parts -----------------------------------------------------------------------------------------------------

const NAME = /^[^\s=]+$/

export const variable =
  (present: Readonly<Record<string, string | undefined>>) =>
  (text: string): Read<readonly [string, string]> => {
    const at = text.indexOf("=")
    const name = at === -1 ? text : text.slice(0, at)
    if (!NAME.test(name)) return Result.fail(`--env must be NAME or NAME=value`)
    if (at !== -1) return Result.succeed([name, text.slice(at + 1)])
    const value = present[name]
    return value === undefined
      ? Result.fail(`--env ${name}: this variable is not set; give it a value with ${name}=value`)
      : Result.succeed([name, value])
  }

/** The value may be a secret, so the error does not show it. */
export const header = (text: string): Read<readonly [string, string]> => {
  const at = text.indexOf(":")
  const name = text.slice(0, Math.max(at, 0)).trim()
  return /^[!#$%&'*+\-.^_`|~0-9A-Za-z]+$/.test(name)
    ? Result.succeed([name, text.slice(at + 1).trim()])
    : Result.fail("--header must be 'Name: value'")
}

export const recordOf = (
  texts: ReadonlyArray<string>,
  read: (text: string) => Read<readonly [string, string]>
): Read<Readonly<Record<string, string>>> =>
  Result.map(Result.all(texts.map(read)), (pairs) => Object.fromEntries(pairs))

// ---- the whole entry -----------------------------------------------------------------------------------------------

export interface GivenCommand {
  readonly words: ReadonlyArray<string>
  /** `NAME=value`, or `NAME` for the variable of that name, at each start. */
  readonly env: ReadonlyArray<string>
  readonly cwd: string | undefined
  /** Where relative paths count from. */
  readonly here: string
  /** Whether there is a file of this absolute path. */
  readonly isThere: (path: string) => boolean
}

/** A file that is named relative to `here` would be another one elsewhere. */
const namesFile = (word: string, { here, isThere }: GivenCommand): boolean =>
  !word.startsWith("-") && !isAbsolute(word) && !word.startsWith("~") && isThere(resolve(here, word))

export const entryOfCommand = (given: GivenCommand): Read<Entry> =>
  Result.map(
    recordOf(
      given.env.map((text) => (text.includes("=") ? text : `${text}=\${${text}}`)),
      variable({})
    ),
    (variables) => {
      const { cwd, here, words } = given
      const [command = "", ...args] = words
      const folder = cwd ?? (args.some((word) => namesFile(word, given)) ? here : undefined)
      const entry = {
        command,
        ...(args.length > 0 && { args }),
        ...(Object.keys(variables).length > 0 && { env: variables }),
        ...(folder !== undefined && { cwd: resolve(here, folder) })
      }
      return folder === undefined ? withFolder(entry, here).entry : entry
    }
  )

export interface GivenAddress {
  readonly url: string
  /** `Name: value`. */
  readonly headers: ReadonlyArray<string>
  readonly allowPrivate: boolean
}

export const entryOfAddress = ({ allowPrivate, headers, url }: GivenAddress): Read<Entry> =>
  Result.map(recordOf(headers, header), (sent) => ({
    url,
    ...(Object.keys(sent).length > 0 && { headers: sent }),
    ...(allowPrivate && { allowPrivate })
  }))

/** Whether something can be reached at it. */
export const isWebAddress = (url: string): boolean => /^https?:$/.test(URL.parse(url)?.protocol ?? "")
