/** Who may order over HTTP: the clients of a file, or else whoever can read the token that is made once for this user alone. */
import * as Effect from "effect/Effect"
import * as Redacted from "effect/Redacted"
import * as Result from "effect/Result"
import { randomBytes } from "node:crypto"
import { writeFile } from "node:fs/promises"
import { join } from "node:path"
import { ORDER_CLIENTS_FILE_MAX_BYTES, ORDER_TOKEN_BYTES } from "../../schemas/Defaults.ts"
import { ListenFailed } from "../../schemas/ListenerError.ts"
import { isUsableToken, readClients } from "../../schemas/OrderClients.ts"
import type { ClientToken } from "../../services/McpListener.ts"
import { codeOf, fileSystemSays, makeOwnDirectory, readOwn } from "../../system/ownFiles.ts"

export interface Access {
  readonly tokens: ReadonlyArray<ClientToken>
  /** Where the token is that was made, for the operator to read. */
  readonly generatedAt: string | undefined
}

const failed = (detail: string) => new ListenFailed({ detail })

const read = (path: string): Effect.Effect<string, ListenFailed> =>
  Effect.tryPromise({
    try: () => readOwn(path, ORDER_CLIENTS_FILE_MAX_BYTES),
    catch: (error) => failed(`the file ${path} cannot be used: ${fileSystemSays(error)}`)
  }).pipe(
    Effect.flatMap((found) => (found === undefined ? failed(`there is no file ${path}`) : Effect.succeed(found.text)))
  )

const fromFile = Effect.fnUntraced(function* (path: string) {
  const clients = readClients(yield* read(path))
  if (Result.isFailure(clients)) return yield* failed(`the file ${path} cannot be used: ${clients.failure}`)
  return clients.success.map(({ agent, name, token }) => ({
    token: Redacted.make(token),
    principal: `client ${name}`,
    agent
  }))
})

/** Whoever is first writes it; all others read what is there by then. */
const generated = Effect.fnUntraced(function* (directory: string) {
  const path = join(directory, "http-token")
  yield* Effect.tryPromise({
    try: async () => {
      makeOwnDirectory(directory)
      const fresh = randomBytes(ORDER_TOKEN_BYTES).toString("base64url")
      await writeFile(path, fresh, { flag: "wx", mode: 0o600, flush: true }).catch((error: unknown) => {
        if (codeOf(error) !== "EEXIST") throw error
      })
    },
    catch: (error) => failed(`no token could be kept in ${directory}: ${fileSystemSays(error)}`)
  })
  const token = (yield* read(path)).trim()
  if (!isUsableToken(token))
    return yield* failed(`the file ${path} has no token in it: remove it, and a new one is made`)
  return { path, token: { token: Redacted.make(token), principal: "token file", agent: undefined } }
})

export const accessOf = Effect.fnUntraced(function* (
  clients: string | undefined,
  directory: string
): Effect.fn.Return<Access, ListenFailed> {
  if (clients !== undefined) return { tokens: yield* fromFile(clients), generatedAt: undefined }
  const { path, token } = yield* generated(directory)
  return { tokens: [token], generatedAt: path }
})
