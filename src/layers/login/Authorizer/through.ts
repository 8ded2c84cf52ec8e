/** Requests with the token of the server. A request that is refused because of its token is sent again with a better one. */
import type { Tokens } from "../../../schemas/login/Credentials.ts"
import type { Answered, Send } from "../../../services/login/Authorizer.ts"
import { challengeOf, wantsNonce, type Challenge } from "./challenge.ts"
import type { Dpop } from "./dpop.ts"

export interface TokenSource {
  /** The token to send, if there is one. */
  readonly token: () => Promise<Tokens | undefined>
  /** Another token in place of this one, which was refused with 401; `undefined` if there is none. */
  readonly renewed: (failed: Tokens | undefined, challenge: Challenge | undefined) => Promise<Tokens | undefined>
  /** A token with the scopes that this one lacks. */
  readonly widened: (failed: Tokens | undefined, challenge: Challenge) => Promise<Tokens | undefined>
  /** A request with this token has succeeded. */
  readonly served: (tokens: Tokens) => void
  readonly dpop: () => Promise<Dpop | undefined>
}

/** Waits for the answer or for the abort of the request; the work itself goes on. */
const unlessAborted = <A>(work: Promise<A>, signal: AbortSignal | null | undefined): Promise<A> => {
  if (!signal) return work
  if (signal.aborted) return Promise.reject(signal.reason)
  return new Promise((resolve, reject) => {
    const stop = () => reject(signal.reason)
    signal.addEventListener("abort", stop, { once: true })
    work.then(resolve, reject).finally(() => signal.removeEventListener("abort", stop))
  })
}

/** Tokens that are tried: that of another process and the renewed one, but no third. */
const ROUNDS = 3

const discard = async ({ body }: Answered): Promise<void> => {
  await body?.cancel().catch(() => {})
}

export const through =
  (source: TokenSource, origin: string) =>
  <A extends Answered>(send: Send<A>): Send<A> => {
    const sendOnce = async (tokens: Tokens | undefined, url: URL, init: RequestInit): Promise<A> => {
      if (tokens === undefined) return send(url, init)
      const headers = new Headers(init.headers)
      headers.set("authorization", `${tokens.tokenType} ${tokens.accessToken}`)
      const dpop = tokens.tokenType === "DPoP" ? await source.dpop() : undefined
      if (dpop !== undefined) {
        const { accessToken } = tokens
        headers.set("dpop", await dpop.session.buildProof({ htm: init.method ?? "GET", htu: url, accessToken }))
      }
      return send(url, { ...init, headers })
    }

    /** Sends again if only the proof was missing. */
    const sendProven = async (tokens: Tokens | undefined, url: URL, init: RequestInit): Promise<A> => {
      const response = await sendOnce(tokens, url, init)
      const nonce = tokens?.tokenType === "DPoP" ? response.headers.get("dpop-nonce") : null
      if (nonce === null) return response
      const dpop = await source.dpop()
      dpop?.session.rememberNonce(url, nonce)
      if (response.status !== 401 || !wantsNonce(response.headers.get("www-authenticate"))) return response
      await discard(response)
      return sendOnce(tokens, url, init)
    }

    const sendWith = async (tokens: Tokens | undefined, url: URL, init: RequestInit): Promise<A> => {
      const response = await sendProven(tokens, url, init)
      if (tokens !== undefined && response.status !== 401) source.served(tokens)
      return response
    }

    return async (target, init = {}) => {
      const url = new URL(target)
      if (url.origin !== origin) return send(target, init)
      const { signal } = init
      let tokens = await unlessAborted(source.token(), signal)
      let response = await sendWith(tokens, url, init)
      // An aborted request does not cause a login.
      if (init.method === "DELETE") return response
      for (let round = 0; response.status === 401 && round < ROUNDS; round++) {
        const challenge = challengeOf(response.headers.get("www-authenticate"))
        const renewed = await unlessAborted(source.renewed(tokens, challenge), signal)
        if (renewed === undefined) return response
        await discard(response)
        tokens = renewed
        response = await sendWith(tokens, url, init)
      }
      if (response.status !== 403) return response
      const challenge = challengeOf(response.headers.get("www-authenticate"))
      if (challenge?.error !== "insufficient_scope") return response
      const widened = await unlessAborted(source.widened(tokens, challenge), signal)
      if (widened === undefined) return response
      await discard(response)
      return sendWith(widened, url, init)
    }
  }
