/**
 * Reports what is suspicious in a clean text. Telemetry, no defence: what is found stays as it is, and much will not be
 * found.
 */
import { reportCommands } from "./commands.ts"
import { reportLinks } from "./links.ts"
import { reportMarkup } from "./markup.ts"
import { reportOrders } from "./injection/report.ts"
import type { Tally } from "./tally.ts"

export const reportPatterns = (text: string, tally: Tally) => {
  if (SIGNS.test(text)) {
    reportMarkup(text, tally)
    reportLinks(text, tally)
    reportCommands(text, tally)
  }
  reportOrders(text, tally)
}

/** One of these is in every markup, address and command. Most short texts have none. */
const SIGNS = /[:：#<@$`|/\\]/
