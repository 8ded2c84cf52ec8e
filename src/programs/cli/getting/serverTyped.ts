/** What a person types at a question for a server: a command, an address, or the name of one. Pure. */
import * as Result from "effect/Result"
import { nameOfCommand, nameOfUrl } from "../servers/givenServer.ts"
import type { AddOptions } from "./adding.ts"
import { isBundle } from "./bundleName.ts"
import { NAMED } from "../../../schemas/config/registry/ServerJson.ts"
import { nameFrom } from "../../../schemas/config/registry/Listing.ts"

/** What people type who want none: nothing, or the word of the question. */
export const isNone = (line: string): boolean => /^(?:|n|no|none)$/i.test(line.trim())

export type Typed = Pick<AddOptions, "what" | "words" | "url">

/** Only spaces separate words here: what needs a shell to be read is refused. */
export const serverTyped = (line: string): Result.Result<Typed, string> => {
  const words = line.trim().split(/\s+/)
  const url = URL.parse(line)
  if (words.length > 1) {
    return /["']|\\\s/.test(line)
      ? Result.fail("quotes are not understood here: later, run 'mcp-live add NAME -- COMMAND…' in a shell")
      : Result.succeed({ what: nameFrom(nameOfCommand(words)), words, url: undefined })
  }
  if (url !== null && /^https?:$/.test(url.protocol))
    return Result.succeed({ what: nameFrom(nameOfUrl(url)), words: [], url: line })
  return NAMED.test(line) || isBundle(line)
    ? Result.succeed({ what: line, words: [], url: undefined })
    : Result.fail(
        `'${line}' is not a name of the registry, an address, a .mcpb file, or a command with arguments; Enter alone adds none`
      )
}
