/**
 * Reports what is suspicious in a clean text. This is telemetry and no defense: findings stay in the text, and much is not found.
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

/** Every suspicious markup, URL and command has one of these. Most short texts have none. */
const SIGNS = /[:：#<@$`|/\\]/
