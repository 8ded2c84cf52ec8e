/** Why a server ended when it was asked for its era: of the question, or of something of its own. */

/** What those say that do not take the question, and those that were up when it came. */
const OF_THE_QUESTION =
  /discover|initiali[sz]|json-?rpc|\bmethod|\bhandler\b|handshake|-32[67]\d\d|(?:invalid|unknown|unexpected|unsupported|client) ?(?:message|request)|\bstdio\b|\b(?:running|listening|started|ready)\b/i

/**
 * Whether its last words say that the question had nothing to do with it: a missing key, a file that is not there. Who ends
 * without a word leaves that open.
 */
export const endedByItself = (lastWords: string): boolean => lastWords !== "" && !OF_THE_QUESTION.test(lastWords)
