/** The words that tell a model how to read the rest of a long text. */
import { READ_MORE } from "../../../schemas/call/RuntimeTools.ts"

/** The note at a cut when the whole text is kept. */
export const readOn = (handle: string, from?: number): string =>
  `read on with ${READ_MORE}, handle "${handle}"${from === undefined ? "" : `, offset ${from}`}`

/** The note when it is not kept. */
export const NOT_KEPT = "too large to be kept, ask for less or in parts"
