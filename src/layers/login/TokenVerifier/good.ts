/** A token that was found good, and how long that counts. */
import { ISSUER_SKEW_S, OPEN_ENDED_KNOWN_MS } from "../../../schemas/defaults/Clients.ts"
import type { Verified } from "../../../services/login/TokenVerifier.ts"

export interface Good {
  readonly verified: Verified
  /** The thumbprint of the key that it is bound to. */
  readonly key: string | undefined
  /** An issuer that was asked about it has to be asked again from then on. */
  readonly askAgainAt: number
}

/** How long a token lasts. */
export type Lasts = Pick<Verified, "expiresAt" | "isOpenEnded">

export const isGoodAt = ({ askAgainAt, verified: { expiresAt } }: Good, now: number): boolean =>
  now < Math.min(askAgainAt, expiresAt + ISSUER_SKEW_S * 1_000)

/** One that is known does not wait behind tokens of strangers, and stays good while its issuer cannot be asked. */
export const isKnownAt = ({ verified: { expiresAt, isOpenEnded } }: Good, now: number): boolean =>
  now < (isOpenEnded ? expiresAt + OPEN_ENDED_KNOWN_MS : expiresAt)
