/**
 * Who may send agent requests over HTTP: the clients in a file, those that log in at an authorization server, or else whoever can read the
 * token that is generated once for this user.
 */
import * as Effect from "effect/Effect"
import * as Redacted from "effect/Redacted"
import * as Result from "effect/Result"
import { join } from "node:path"
import { ORDER_CLIENTS_FILE_MAX_BYTES } from "../../schemas/defaults/Orders.ts"
import type { ListenFailed } from "../../schemas/listener/ListenerError.ts"
import { readClients } from "./orderClients.ts"
import { fileSystemSays } from "../../system/ownFiles.ts"
import { readSecret } from "../../system/secretFiles.ts"
import { generatedToken, noAccess, type Access } from "../clientAccess.ts"

const read = (path: string): Effect.Effect<string, ListenFailed> =>
  Effect.tryPromise({
    try: () => readSecret(path, ORDER_CLIENTS_FILE_MAX_BYTES),
    catch: (error) => noAccess(`the file ${path} cannot be used: ${fileSystemSays(error)}`)
  }).pipe(
    Effect.flatMap((found) => (found === undefined ? noAccess(`there is no file ${path}`) : Effect.succeed(found.text)))
  )

const fromFile = Effect.fnUntraced(function* (path: string) {
  const clients = readClients(yield* read(path))
  if (Result.isFailure(clients)) return yield* noAccess(`the file ${path} cannot be used: ${clients.failure}`)
  return clients.success.map(({ agent, name, token }) => ({
    token: Redacted.make(token),
    principal: `client ${name}`,
    agent
  }))
})

export const accessOf = Effect.fnUntraced(function* (
  clients: string | undefined,
  hasLogins: boolean,
  directory: string
): Effect.fn.Return<Access, ListenFailed> {
  if (clients !== undefined) return { tokens: yield* fromFile(clients), generatedAt: undefined }
  if (hasLogins) return { tokens: [], generatedAt: undefined }
  const path = join(directory, "http-token")
  return { tokens: [yield* generatedToken(path)], generatedAt: path }
})
