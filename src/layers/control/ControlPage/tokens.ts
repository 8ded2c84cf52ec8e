/** Tokens that let one browser in, each once and within a short time. They are known to this process alone. */
import type * as Clock from "effect/Clock"
import { PAGE_TOKEN_BYTES, PAGE_TOKEN_MS, PAGE_TOKENS_MAX } from "../../../schemas/defaults/Page.ts"
import { digestOf } from "../../../system/httpServer.ts"
import { makeWord } from "../../../system/keptOnce.ts"

export interface Token {
  readonly readOnly: boolean
}

export interface Tokens {
  readonly make: (readOnly: boolean) => string
  /** `undefined` for a token that was used, is too old, or never was one. */
  readonly use: (token: string) => Token | undefined
}

export const makeTokens = (clock: Clock.Clock): Tokens => {
  // By their digests: how long a search takes tells nothing about them. The oldest first.
  const open = new Map<string, Token & { readonly until: number }>()
  return {
    make: (readOnly) => {
      const token = makeWord({ bytes: PAGE_TOKEN_BYTES, encoding: "base64url" })
      open.set(digestOf(token).toString("hex"), { readOnly, until: clock.currentTimeMillisUnsafe() + PAGE_TOKEN_MS })
      for (const oldest of open.keys()) {
        if (open.size <= PAGE_TOKENS_MAX) break
        open.delete(oldest)
      }
      return token
    },
    use: (token) => {
      const digest = digestOf(token).toString("hex")
      const found = open.get(digest)
      open.delete(digest)
      return found === undefined || clock.currentTimeMillisUnsafe() >= found.until ? undefined : found
    }
  }
}
