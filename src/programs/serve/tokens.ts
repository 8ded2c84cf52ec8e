/**
 * Who may connect over HTTP: the clients of the configuration, whoever has the token of a file, or else whoever can read the
 * token that is made once and kept in the data directory, for this user alone.
 */
import * as Effect from "effect/Effect"
import * as Redacted from "effect/Redacted"
import { randomBytes } from "node:crypto"
import { writeFile } from "node:fs/promises"
import { join } from "node:path"
import { SERVE_TOKEN_BYTES, SERVE_TOKEN_FILE_MAX_BYTES, SERVE_TOKEN_MIN_CHARS } from "../../schemas/Defaults.ts"
import { ListenFailed } from "../../schemas/ListenerError.ts"
import type { ServeClientConfig } from "../../schemas/ServeConfig.ts"
import type { ClientToken } from "../../services/McpListener.ts"
import { CLIENTS_OWNER, type SecretResolver } from "../../services/SecretResolver.ts"
import { codeOf, fileSystemSays, makeOwnDirectory, readOwn } from "../../system/ownFiles.ts"

/** What can stand in a header, and is not guessed. */
const isUsable = (token: string): boolean => token.length >= SERVE_TOKEN_MIN_CHARS && /^[\x21-\x7e]+$/.test(token)

const failed = (detail: string) => new ListenFailed({ detail })
const UNUSABLE = `a token is at least ${SERVE_TOKEN_MIN_CHARS} characters of ASCII without blanks`

// ---- files ---------------------------------------------------------------------------------------------------------

const readToken = (path: string): Effect.Effect<string | undefined, ListenFailed> =>
  Effect.tryPromise({
    try: () => readOwn(path, SERVE_TOKEN_FILE_MAX_BYTES),
    catch: (error) => failed(`the token file ${path} cannot be used: ${fileSystemSays(error)}`)
  }).pipe(Effect.map((read) => read?.text.trim()))

const fromFile = Effect.fnUntraced(function* (path: string) {
  const token = yield* readToken(path)
  if (token === undefined) return yield* failed(`there is no token file ${path}`)
  return isUsable(token) ? token : yield* failed(`the token file ${path} cannot be used: ${UNUSABLE}`)
})

/** Whoever is first writes it; all others read what is there by then. */
const generated = Effect.fnUntraced(function* (directory: string) {
  const folder = join(directory, "serve")
  const path = join(folder, "token")
  const fresh = randomBytes(SERVE_TOKEN_BYTES).toString("base64url")
  yield* Effect.tryPromise({
    try: async () => {
      makeOwnDirectory(folder)
      await writeFile(path, fresh, { flag: "wx", mode: 0o600, flush: true }).catch((error: unknown) => {
        if (codeOf(error) !== "EEXIST") throw error
      })
    },
    catch: (error) => failed(`no token could be kept in ${folder}: ${fileSystemSays(error)}`)
  })
  return { path, token: yield* fromFile(path) }
})

// ---- all of them ---------------------------------------------------------------------------------------------------

export interface Access {
  readonly tokens: ReadonlyArray<ClientToken>
  /** Where the token is that was made, for the operator to read. */
  readonly generatedAt: string | undefined
}

export interface AccessOptions {
  readonly clients: ReadonlyArray<ServeClientConfig>
  readonly tokenFile: string | undefined
  readonly dataDirectory: string
  readonly secrets: SecretResolver["Service"]
}

const resolveClient = (secrets: SecretResolver["Service"]) =>
  Effect.fnUntraced(function* ({ agent, name, token }: ServeClientConfig) {
    const resolved = yield* Effect.mapError(secrets.resolve(CLIENTS_OWNER, token), ({ detail, reference }) =>
      failed(`the token of the client '${name}' is not available: ${reference}: ${detail}`)
    )
    if (!isUsable(Redacted.value(resolved))) {
      return yield* failed(`the token of the client '${name}' cannot be used: ${UNUSABLE}`)
    }
    return { token: resolved, principal: `client ${name}`, agent }
  })

/** Every token is known to `Redactor`: none gets into a log or a result. */
export const accessOf = Effect.fnUntraced(function* ({ clients, dataDirectory, secrets, tokenFile }: AccessOptions) {
  const configured = yield* Effect.forEach(clients, resolveClient(secrets))
  const isEmpty = clients.length === 0 && tokenFile === undefined
  const made = isEmpty ? yield* generated(dataDirectory) : undefined
  const single = tokenFile === undefined ? made?.token : yield* fromFile(tokenFile)
  const tokens: ReadonlyArray<ClientToken> = [
    ...configured,
    ...(single === undefined ? [] : [{ token: Redacted.make(single), principal: "token file", agent: undefined }])
  ]
  const values = tokens.map(({ token }) => Redacted.value(token))
  if (new Set(values).size < values.length) return yield* failed("two clients have the same token")
  for (const value of values) yield* secrets.know(CLIENTS_OWNER, value)
  return { tokens, generatedAt: made?.path } satisfies Access
})
