/** The default access over HTTP: a token that is generated once and that only this user can read. */
import * as Effect from "effect/Effect"
import * as Redacted from "effect/Redacted"
import { CLIENT_TOKEN_BYTES } from "../schemas/defaults/Serve.ts"
import { ListenFailed } from "../schemas/listener/ListenerError.ts"
import { isLoopback } from "../schemas/listener/HttpAccess.ts"
import type { ClientToken } from "../services/listener/McpListener.ts"
import { keptOnce } from "../system/keptOnce.ts"
import { fileSystemSays } from "../system/ownFiles.ts"

export interface Access {
  readonly tokens: ReadonlyArray<ClientToken>
  /** Where the generated token is, for the operator. */
  readonly generatedAt: string | undefined
}

/**
 * Tells a client without a token which one it needs. The path of a file is told only if the port is reachable from this
 * machine only.
 */
export const whichToken = (
  {
    address,
    hosts = []
  }: { readonly address?: string | undefined; readonly hosts?: ReadonlyArray<string> | undefined },
  file: string | undefined,
  clients: string | undefined
): string => {
  const isOwn = (address === undefined || isLoopback(address)) && hosts.length === 0
  const inFile =
    file === undefined ? undefined : isOwn ? `the token in ${file}` : "the token in this server's token file"
  return [inFile, clients].filter((each) => each !== undefined).join(" or ")
}

export const noAccess = (detail: string) => new ListenFailed({ detail })

/** The name of the one client that uses a token without a name. */
export const TOKEN_FILE = "token file"

export const generatedToken = (path: string): Effect.Effect<ClientToken, ListenFailed> =>
  Effect.tryPromise({
    try: () => keptOnce({ path, bytes: CLIENT_TOKEN_BYTES, encoding: "base64url" }),
    catch: (error) => noAccess(`no token could be kept in ${path}: ${fileSystemSays(error)}`)
  }).pipe(
    Effect.flatMap((token) =>
      token === undefined
        ? noAccess(`the file ${path} contains no token: delete the file, and a new token is generated`)
        : Effect.succeed({ token: Redacted.make(token), principal: TOKEN_FILE, agent: undefined })
    )
  )
