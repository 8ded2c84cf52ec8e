/** What the sender of wrong tokens and those who start it agree on. */
import type { FloodSamples } from "../cases/flood.ts"

export const TOKEN_WAYS = [
  "wrong signatures",
  "unknown keys",
  "expired tokens",
  "another audience or issuer",
  "opaque tokens"
] as const
export type TokenWay = (typeof TOKEN_WAYS)[number]

export const WRONG_TOKENS_PER_MINUTE = 100_000
/** Of one row. */
export const LOG_LINES_MAX = 20

/** What it sent, and what became of that. */
export interface Sent {
  readonly sent: number
  readonly unauthorized: number
  readonly unavailable: number
  readonly other: number
  readonly refused: number
  readonly unanswered: number
  /** For how long it sent. */
  readonly ms: number
}

export interface TokenSamples extends FloodSamples {
  readonly sender: Sent & { readonly perMinute: number }
  readonly logLines: number
}

/** Tokens of an issuer from which wrong ones are made. */
export interface Samples {
  readonly good: string
  readonly expired: string
  readonly otherAudience: string
  readonly otherIssuer: string
}

export const allSent = (rounds: ReadonlyArray<Sent>): TokenSamples["sender"] => {
  const sum = (of: keyof Sent) => rounds.reduce((all, each) => all + each[of], 0)
  const [unauthorized, unavailable, other, ms] = [sum("unauthorized"), sum("unavailable"), sum("other"), sum("ms")]
  return {
    sent: sum("sent"),
    unauthorized,
    unavailable,
    other,
    refused: sum("refused"),
    unanswered: sum("unanswered"),
    ms,
    perMinute: ms === 0 ? 0 : Math.round(((unauthorized + unavailable + other) * 60_000) / ms)
  }
}
