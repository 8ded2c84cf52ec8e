/** How a text that was too long for its result is read on: the words that lead to the tool for it. */
import { READ_MORE } from "../../../schemas/call/RuntimeTools.ts"

/** What the line at a cut says when the whole text is kept. */
export const readOn = (handle: string, from?: number): string =>
  `read on with ${READ_MORE}, handle "${handle}"${from === undefined ? "" : `, offset ${from}`}`

/** What it says when it is not. */
export const NOT_KEPT = "too large to be kept, ask for less or in parts"
