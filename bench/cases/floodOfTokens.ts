/** What calls of a client that has logged in take while somebody without a login sends wrong tokens. */
import { LOG_LINES_MAX, WRONG_TOKENS_PER_MINUTE, type TokenSamples } from "../lib/wrongTokens.ts"
import { canPin, isolate, isolateOnOneCore } from "../lib/isolate.ts"
import type { BenchCase, Verdict } from "../lib/result.ts"
import { COLUMNS, rowOf, verdictsOf } from "./flood.ts"

const arrived = (samples: ReadonlyArray<TokenSamples>): Verdict => {
  const least = samples.toSorted((one, other) => one.sender.perMinute - other.sender.perMinute)[0]
  return {
    goal: `in each row, at least ${WRONG_TOKENS_PER_MINUTE / 1_000},000 wrong tokens a minute came in and were answered`,
    measured: least === undefined ? "nothing" : `${least.sender.perMinute} a minute at least (${least.way})`,
    pass: least !== undefined && least.sender.perMinute >= WRONG_TOKENS_PER_MINUTE
  }
}

const logged = (samples: ReadonlyArray<TokenSamples>): Verdict => {
  const most = samples.toSorted((one, other) => other.logLines - one.logLines)[0]
  return {
    goal: `no row writes more than ${LOG_LINES_MAX} lines to the log`,
    measured: most === undefined ? "nothing" : `${most.logLines} lines at most (${most.way})`,
    pass: most !== undefined && most.logLines <= LOG_LINES_MAX
  }
}

export const floodOfTokens: BenchCase = {
  name: "floodOfTokens",
  goal: `Beside ${WRONG_TOKENS_PER_MINUTE / 1_000},000 wrong tokens a minute, an honest client sees what it sees beside any other flood.`,
  run: async () => {
    const start = canPin ? isolateOnOneCore : isolate
    const samples = await start<ReadonlyArray<TokenSamples>>("floodOfTokens.ts")
    return {
      columns: [
        ...COLUMNS,
        "wrong tokens a minute",
        "sent",
        "401",
        "503",
        "other answers",
        "refused connections",
        "not answered",
        "lines in the log"
      ],
      rows: samples.map((each) => {
        const { unauthorized, unavailable, other, perMinute, refused, sent, unanswered } = each.sender
        const counts = [perMinute, sent, unauthorized, unavailable, other, refused, unanswered]
        return { ...rowOf(each), values: [...rowOf(each).values, ...counts, each.logLines] }
      }),
      verdicts: [arrived(samples), ...verdictsOf(samples), logged(samples)],
      notes: [
        "The calls are those of a client that has logged in at an issuer, to a server over stdio and one over HTTP behind `mcp-live serve --http`, without and beside a sender of wrong tokens, no two of them the same, each by a connection of its own: the gateway closes a connection whose token it refuses.",
        "The counts are the sender's, of all rounds: what it sent, and what was answered. The rate is that of the answers. `refused connections` ended with an error; `not answered` were closed without an answer, or still open at the end.",
        "`opaque tokens` are such as only an issuer can judge, which is asked about them (RFC 7662); the issuers are processes of their own.",
        canPin
          ? "The gateway, its servers and the client share one core; the sender and the issuers have another one."
          : "There is no taskset here: everything is as placed by the system, and the sender takes processor time of the others."
      ]
    }
  }
}
