/**
 * Who may connect over HTTP: the clients of the configuration, or those with the token of a file, or else whoever can read
 * the token that is generated once and stored in the data directory for this user only.
 */
import * as Effect from "effect/Effect"
import * as Redacted from "effect/Redacted"
import * as Stream from "effect/Stream"
import { join } from "node:path"
import { isUsableToken, USABLE_TOKEN } from "../../schemas/listener/ClientToken.ts"
import { SERVE_TOKEN_FILE_MAX_BYTES } from "../../schemas/defaults/Serve.ts"
import { formatIssue } from "../../schemas/config/ConfigIssue.ts"
import type { ListenFailed } from "../../schemas/listener/ListenerError.ts"
import { DEFAULT_SERVE, type ServeClientConfig } from "../../schemas/listener/ServeConfig.ts"
import { principalOfToken } from "../../schemas/login/Identity.ts"
import type { ClientToken } from "../../services/listener/McpListener.ts"
import type { LiveConfig } from "../../services/config/LiveConfig.ts"
import { CLIENTS_OWNER, type SecretResolver } from "../../services/secret/SecretResolver.ts"
import { fileSystemSays } from "../../system/ownFiles.ts"
import { readSecret } from "../../system/secretFiles.ts"
import { generatedToken, noAccess, TOKEN_FILE, type Access } from "../clientAccess.ts"

const UNUSABLE = `a token is ${USABLE_TOKEN}`

// ---- files ---------------------------------------------------------------------------------------------------------

const readToken = (path: string): Effect.Effect<string | undefined, ListenFailed> =>
  Effect.tryPromise({
    try: () => readSecret(path, SERVE_TOKEN_FILE_MAX_BYTES),
    catch: (error) => noAccess(`the token file ${path} cannot be used: ${fileSystemSays(error)}`)
  }).pipe(Effect.map((read) => read?.text.trim()))

const fromFile = Effect.fnUntraced(function* (path: string) {
  const token = yield* readToken(path)
  if (token === undefined) return yield* noAccess(`there is no token file ${path}`)
  return isUsableToken(token) ? token : yield* noAccess(`the token file ${path} cannot be used: ${UNUSABLE}`)
})

// ---- all of them ---------------------------------------------------------------------------------------------------

export interface AccessOptions {
  readonly clients: ReadonlyArray<ServeClientConfig>
  readonly tokenFile: string | undefined
  /** Whether clients get in otherwise: then no token is generated. */
  readonly hasLogins: boolean
  readonly dataDirectory: string
  readonly secrets: SecretResolver["Service"]
}

/** The clients that the configuration had, and has no more: they are shut out at once. A new one, or a new token, counts with the next start. */
export const shutOut = (
  clients: ReadonlyArray<ServeClientConfig>,
  { current, states }: Pick<LiveConfig["Service"], "current" | "states">
): Stream.Stream<ReadonlySet<string>> =>
  Stream.map(states, () => {
    const left = new Set((current().serve ?? DEFAULT_SERVE).clients.map(({ name }) => name))
    return new Set(clients.filter(({ name }) => !left.has(name)).map(({ name }) => principalOfToken(name)))
  })

const resolveClient = (secrets: SecretResolver["Service"]) =>
  Effect.fnUntraced(function* ({ agent, fault, name, token }: ServeClientConfig) {
    if (fault !== undefined) return yield* noAccess(formatIssue(fault))
    const resolved = yield* Effect.mapError(secrets.resolve(CLIENTS_OWNER, token), ({ detail, reference }) =>
      noAccess(`the token of the client '${name}' is not available: ${reference}: ${detail}`)
    )
    if (!isUsableToken(Redacted.value(resolved))) {
      return yield* noAccess(`the token of the client '${name}' cannot be used: ${UNUSABLE}`)
    }
    return { token: resolved, principal: principalOfToken(name), agent }
  })

/** Registers the tokens with `Redactor`, so that none appears in a log or a result. */
export const knowTokens = (
  secrets: SecretResolver["Service"],
  tokens: ReadonlyArray<ClientToken>
): Effect.Effect<void> =>
  Effect.forEach(tokens, ({ token }) => secrets.know(CLIENTS_OWNER, Redacted.value(token)), { discard: true })

/** Checks the files first, because their errors need no waiting. */
export const accessOf = Effect.fnUntraced(function* ({
  clients,
  dataDirectory,
  hasLogins,
  secrets,
  tokenFile
}: AccessOptions) {
  const isEmpty = clients.length === 0 && tokenFile === undefined && !hasLogins
  const path = join(dataDirectory, "serve", "token")
  const made = isEmpty ? yield* generatedToken(path) : undefined
  const given = tokenFile === undefined ? undefined : yield* fromFile(tokenFile)
  const configured = yield* Effect.forEach(clients, resolveClient(secrets))
  const tokens: ReadonlyArray<ClientToken> = [
    ...configured,
    ...(made === undefined ? [] : [made]),
    ...(given === undefined ? [] : [{ token: Redacted.make(given), principal: TOKEN_FILE, agent: undefined }])
  ]
  const values = tokens.map(({ token }) => Redacted.value(token))
  if (new Set(values).size < values.length) return yield* noAccess("two clients have the same token")
  yield* knowTokens(secrets, tokens)
  return { tokens, generatedAt: made === undefined ? undefined : path } satisfies Access
})
