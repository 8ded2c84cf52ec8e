/** Who is let in over HTTP where nobody said it: whoever can read a token that is made once, for this user alone. */
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
  /** Where the token is that was made, for the operator to read. */
  readonly generatedAt: string | undefined
}

/**
 * Which token a client needs, for whoever has none. The path of a file is only told where nobody but this machine asks.
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

/** The one client that holds a token without a name. */
export const TOKEN_FILE = "token file"

export const generatedToken = (path: string): Effect.Effect<ClientToken, ListenFailed> =>
  Effect.tryPromise({
    try: () => keptOnce({ path, bytes: CLIENT_TOKEN_BYTES, encoding: "base64url" }),
    catch: (error) => noAccess(`no token could be kept in ${path}: ${fileSystemSays(error)}`)
  }).pipe(
    Effect.flatMap((token) =>
      token === undefined
        ? noAccess(`the file ${path} has no token in it: remove it, and a new one is made`)
        : Effect.succeed({ token: Redacted.make(token), principal: TOKEN_FILE, agent: undefined })
    )
  )
