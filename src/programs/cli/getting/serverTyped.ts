/** What a person types at a question for a server: a command, an address, or the name of one. Pure. */
import * as Result from "effect/Result"
import { nameOfCommand, nameOfUrl } from "../servers/givenServer.ts"
import type { AddOptions } from "./adding.ts"
import { nameFrom } from "../../../schemas/config/registry/Listing.ts"

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
  return Result.succeed({ what: line, words: [], url: undefined })
}
