/**
 * The token for Vault. It is either configured or found in the environment or a file, or comes from the login of an AppRole; then it is kept
 * until shortly before its lease or its uses end. Callers at the same time share one login.
 */
import * as Clock from "effect/Clock"
import * as Effect from "effect/Effect"
import * as Result from "effect/Result"
import * as Semaphore from "effect/Semaphore"
import { VAULT_APPROLE_MOUNT, VAULT_LEASE_MARGIN_MS, VAULT_LOGIN_PAUSE_MS } from "../../../schemas/defaults/Secrets.ts"
import type { VaultConfig } from "../../../schemas/secret/SecretsConfig.ts"
import * as FileProvider from "./fileProvider.ts"
import { numberOf, property } from "./jsonField.ts"
import type { ProviderContext } from "./SecretProvider.ts"
import type { Vault, VaultAnswer } from "./vaultRequest.ts"

export interface VaultTokens {
  readonly take: (vault: Vault) => Effect.Effect<Taken, string>
  /** Another token after Vault has refused `token`; `undefined` if there is none, or if it would be refused too. */
  readonly replace: (vault: Vault, token: string) => Effect.Effect<string | undefined, string>
  /** Vault has refused the other token too: for a while, no other one is tried. */
  readonly inVain: Effect.Effect<void>
}

export interface Taken {
  readonly token: string
  /** Another token would be refused too. */
  readonly isNew: boolean
}

export const make = (config: VaultConfig, context: ProviderContext): VaultTokens => {
  const appRole = config.token === undefined ? (config.appRole ?? appRoleFrom(context.env)) : undefined
  return appRole === undefined ? givenToken(config, context) : appRoleTokens(appRole, context)
}

// ---- an existing token ---------------------------------------------------------------------------------

const givenToken = (config: VaultConfig, context: ProviderContext): VaultTokens => {
  const { VAULT_TOKEN: fromEnv = "" } = context.env
  const find = (): Effect.Effect<string, string> => {
    if (config.token !== undefined) return named("the token of Vault", context.reveal(config.token))
    if (fromEnv.trim() !== "") return Effect.succeed(fromEnv)
    return FileProvider.make(context.home)
      .read("~/.vault-token", undefined)
      .pipe(
        Effect.mapError(() => NO_TOKEN),
        Effect.filterOrFail(
          (text) => text.trim() !== "",
          () => NO_TOKEN
        )
      )
  }
  const take = Effect.suspend(find).pipe(
    Effect.flatMap((text) => known(text.trim(), context)),
    Effect.map((token) => ({ token, isNew: true }))
  )
  return { take: () => take, replace: () => Effect.undefined, inVain: Effect.void }
}

const NO_TOKEN =
  "there is no token for Vault: set VAULT_TOKEN, or token or appRole of secrets.vault in the config, or log in with 'vault login'"

const named = (what: string, text: Effect.Effect<string, string>) =>
  Effect.mapError(text, (detail) => `${what}: ${detail}`)

/** A header can contain no other characters, and the error about them would quote the token. */
const known = (token: string, { mask }: ProviderContext): Effect.Effect<string, string> => {
  if (token !== "") mask(token)
  return /^[\x21-\x7e]+$/.test(token)
    ? Effect.succeed(token)
    : Effect.fail("the token of Vault is empty, or contains invalid characters")
}

// ---- AppRole -------------------------------------------------------------------------------------------------------

type AppRole = NonNullable<VaultConfig["appRole"]>

const appRoleFrom = (env: ProviderContext["env"]): AppRole | undefined => {
  const { VAULT_ROLE_ID: roleId = "", VAULT_SECRET_ID: secretId = "" } = env
  return roleId === "" || secretId === "" ? undefined : { roleId, secretId, mount: VAULT_APPROLE_MOUNT }
}

interface Held {
  readonly token: string
  /** Milliseconds on the clock. */
  readonly until: number
  /** How many more times it may be used. */
  uses: number
}

const appRoleTokens = (appRole: AppRole, context: ProviderContext): VaultTokens => {
  const oneAtATime = Semaphore.makeUnsafe(1)
  let held: Held | undefined
  /** How many logins have ended, and the outcome of the last one. */
  let ended = 0
  let last: Result.Result<Held, string> | undefined
  let believedUntil = 0

  const perform = (vault: Vault) =>
    logIn(vault, appRole, context).pipe(
      Effect.result,
      Effect.map((outcome) => {
        ended++
        last = outcome
        held = Result.getOrUndefined(outcome)
        return outcome
      })
    )

  /** A caller that waited for the login of another one takes its outcome: refused logins are counted, and may lock the role. */
  const login = (vault: Vault): Effect.Effect<string | undefined, string> =>
    Effect.suspend(() => {
      const before = ended
      return oneAtATime.withPermit(
        Effect.suspend(() => (ended === before || last === undefined ? perform(vault) : Effect.succeed(last))).pipe(
          Effect.flatMap(Effect.fromResult),
          Effect.map(use)
        )
      )
    })

  const take = Effect.fnUntraced(function* (vault: Vault) {
    const now = yield* Clock.currentTimeMillis
    const token = held !== undefined && now < held.until ? use(held) : undefined
    if (token !== undefined) return { token, isNew: false }
    for (;;) {
      // `undefined` if the others that waited for it have used it up.
      const token = yield* login(vault)
      if (token !== undefined) return { token, isNew: true }
    }
  })

  const replace = Effect.fnUntraced(function* (vault: Vault, token: string) {
    if ((yield* Clock.currentTimeMillis) < believedUntil) return undefined
    if (held?.token === token) held = undefined
    return (yield* take(vault)).token
  })

  const inVain = Effect.map(Clock.currentTimeMillis, (now) => {
    believedUntil = now + VAULT_LOGIN_PAUSE_MS
  })
  return { take, replace, inVain }
}

const use = (held: Held): string | undefined => {
  if (held.uses <= 0) return undefined
  held.uses--
  return held.token
}

const logIn = Effect.fnUntraced(function* (
  vault: Vault,
  { mount, roleId, secretId }: AppRole,
  context: ProviderContext
) {
  const role = (yield* named("the role id of Vault", context.reveal(roleId))).trim()
  const secret = (yield* named("the secret id of Vault", context.reveal(secretId))).trim()
  for (const text of [role, secret]) if (text !== "") context.mask(text)
  const at = mount.split("/").filter((part) => !/^\.{0,2}$/.test(part))
  const path = `/v1/auth/${at.map(encodeURIComponent).join("/")}/login`
  const answer = yield* vault
    .send({ method: "POST", path, body: { role_id: role, secret_id: secret } })
    .pipe(Effect.mapError(({ detail }) => detail))
  const { client_token, lease_duration, num_uses } = yield* authOf(answer, mount)
  const token = yield* known(typeof client_token === "string" ? client_token : "", context)
  const now = yield* Clock.currentTimeMillis
  const held: Held = { token, until: now + lifeOf(lease_duration), uses: usesOf(num_uses) }
  return held
})

const authOf = ({ body, status }: VaultAnswer, mount: string): Effect.Effect<Record<string, unknown>, string> => {
  if (status === 400) {
    return Effect.fail("Vault refused the AppRole: its role id or secret id is wrong, expired or used up (HTTP 400)")
  }
  if (status === 403) {
    return Effect.fail(
      "Vault does not let the AppRole log in: not from here, not in this namespace, or locked out (HTTP 403)"
    )
  }
  if (status === 404) return Effect.fail(`Vault has no AppRole mounted at auth/${mount} in this namespace (HTTP 404)`)
  const auth = property(body, "auth")
  return status === 200 && typeof auth === "object" && auth !== null
    ? Effect.succeed(auth as Record<string, unknown>)
    : Effect.fail(`the login at Vault's address failed (HTTP ${status})`)
}

/** A lease of 0 never ends. A token with an invalid lease is used once, for what it was fetched for. */
const lifeOf = (lease: unknown): number => {
  const ms = numberOf(lease) * 1000
  return ms === 0 ? Number.POSITIVE_INFINITY : ms - Math.min(VAULT_LEASE_MARGIN_MS, ms / 10)
}

const usesOf = (uses: unknown): number => {
  const count = numberOf(uses)
  return count > 0 ? count : Number.POSITIVE_INFINITY
}
