/** Tokens for calls, which limit their rate: for each server and agent, and for each client that is distinguished. */
import * as Context from "effect/Context"
import type * as Effect from "effect/Effect"
import type { RateLimited } from "../../schemas/call/CallError.ts"
import type { LimitedCaller } from "./CallLimiter.ts"

/** Tokens for calls, which limit their rate. */
export class CallTokens extends Context.Service<
  CallTokens,
  {
    /** Takes a token: `undefined` when that has succeeded, else the remaining work or the error. */
    readonly take: (caller: LimitedCaller) => Effect.Effect<unknown, RateLimited> | undefined
  }
>()("mcp-live/services/CallTokens") {}
