/**
 * Reports what is suspicious in a clean text. Telemetry, no defence: what is found stays as it is, and much will not be
 * found.
 */
import { reportCommands } from "./commands.ts"
import { reportInstructions } from "./instructions.ts"
import { reportLinks } from "./links.ts"
import { reportMarkup } from "./markup.ts"
import type { Tally } from "./tally.ts"

export const reportPatterns = (text: string, tally: Tally) => {
  reportMarkup(text, tally)
  reportLinks(text, tally)
  reportCommands(text, tally)
  reportInstructions(text, tally)
}
