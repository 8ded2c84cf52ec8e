/** A server whose command or address is on the command line. Pure, except that it looks which of the words are files. */
import * as Result from "effect/Result"
import { existsSync } from "node:fs"
import { isAbsolute, resolve } from "node:path"
import { withFolder } from "../../../schemas/config/clients/ImportPlan.ts"
import { header, recordOf, variable } from "../servers/givenServer.ts"
import type { Prepared } from "./prepared.ts"

export interface Given {
  readonly name: string
  readonly words: ReadonlyArray<string>
  readonly url: string | undefined
  readonly headers: ReadonlyArray<string>
  readonly env: ReadonlyArray<string>
  readonly cwd: string | undefined
  readonly allowPrivate: boolean
}

/** A file that is named relative to the current directory would be another one elsewhere. */
const namesFile = (word: string): boolean =>
  !word.startsWith("-") && !isAbsolute(word) && !word.startsWith("~") && existsSync(resolve(word))

const commandOf = ({ cwd, env, words }: Given) =>
  Result.map(
    // A name alone stands for the variable of that name, at each start.
    recordOf(
      env.map((text) => (text.includes("=") ? text : `${text}=\${${text}}`)),
      variable({})
    ),
    (variables) => {
      const [command = "", ...args] = words
      const folder = cwd ?? (args.some(namesFile) ? process.cwd() : undefined)
      const entry = {
        command,
        ...(args.length > 0 && { args }),
        ...(Object.keys(variables).length > 0 && { env: variables }),
        ...(folder !== undefined && { cwd: resolve(folder) })
      }
      return folder === undefined ? withFolder(entry, process.cwd()).entry : entry
    }
  )

const addressOf = ({ allowPrivate, headers, url = "" }: Given) =>
  Result.map(recordOf(headers, header), (sent) => ({
    url,
    ...(Object.keys(sent).length > 0 && { headers: sent }),
    ...(allowPrivate && { allowPrivate })
  }))

export const preparedOf = (given: Given): Result.Result<Prepared, string> => {
  const { allowPrivate, cwd, env, headers, name, url, words } = given
  if (url !== undefined && words.length > 0) return Result.fail("give a command or --url, not both")
  if (url === undefined && (headers.length > 0 || allowPrivate))
    return Result.fail("--header and --allow-private are for --url")
  if (url !== undefined && (env.length > 0 || cwd !== undefined))
    return Result.fail("--env and --cwd are for a command")
  if (url !== undefined && !/^https?:$/.test(URL.parse(url)?.protocol ?? ""))
    return Result.fail("--url must be an http or https address")
  return Result.map(url === undefined ? commandOf(given) : addressOf(given), (entry) => ({
    name,
    about: [],
    unusual: [],
    questions: [],
    isForeign: false,
    build: () => Result.succeed(entry)
  }))
}
