/** A server whose command or address is on the command line. Pure, except that it looks which of the words are files. */
import * as Result from "effect/Result"
import { existsSync } from "node:fs"
import { entryOfAddress, entryOfCommand, isWebAddress } from "../../../schemas/config/GivenEntry.ts"
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

export const preparedOf = (given: Given): Result.Result<Prepared, string> => {
  const { allowPrivate, cwd, env, headers, name, url, words } = given
  if (url !== undefined && words.length > 0) return Result.fail("give a command or --url, not both")
  if (url === undefined && (headers.length > 0 || allowPrivate))
    return Result.fail("--header and --allow-private are for --url")
  if (url !== undefined && (env.length > 0 || cwd !== undefined))
    return Result.fail("--env and --cwd are for a command")
  if (url !== undefined && !isWebAddress(url)) return Result.fail("--url must be an http or https address")
  const entry =
    url === undefined
      ? entryOfCommand({ words, env, cwd, here: process.cwd(), isThere: existsSync })
      : entryOfAddress({ url, headers, allowPrivate })
  return Result.map(entry, (entry) => ({
    name,
    about: [],
    unusual: [],
    questions: [],
    isForeign: false,
    build: () => Result.succeed(entry)
  }))
}
