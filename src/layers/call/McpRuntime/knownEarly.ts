/**
 * Makes known what is a secret of a server before that server was ever started: what stands in its configuration as it is,
 * and what costs nothing to look up. Commands and networks are asked when the server starts, not before.
 */
import * as Effect from "effect/Effect"
import { knownCredentials } from "../../../schemas/connection/LaunchCredentials.ts"
import { secretTextsOf } from "../../../schemas/login/OAuthConfig.ts"
import { parse } from "../../../schemas/secret/SecretReference.ts"
import { type Launch, ownerOf, type ServerConfig } from "../../../schemas/connection/ServerConfig.ts"
import type { SecretResolver } from "../../../services/secret/SecretResolver.ts"

const CHEAP = new Set(["env", "file"])

const textsOf = (launch: Launch): ReadonlyArray<string> =>
  launch.kind === "stdio"
    ? [...Object.values(launch.env), ...launch.args]
    : [launch.url, ...Object.values(launch.headers), ...(launch.auth === undefined ? [] : secretTextsOf(launch.auth))]

/** In braces a reference is the same, whatever its path holds. */
const cheapReferences = (text: string): ReadonlyArray<string> => {
  const parsed = parse(text)
  if ("malformed" in parsed) return []
  return parsed.parts.flatMap((part) =>
    typeof part !== "string" && CHEAP.has(part.provider) ? [`{${part.written}}`] : []
  )
}

/** A secret that is not there keeps its server from starting, and says so then. */
export const knowEarly = (secrets: SecretResolver["Service"], servers: ReadonlyArray<ServerConfig>) =>
  Effect.forEach(
    servers.filter(({ enabled }) => enabled),
    (config) => {
      const owner = ownerOf(config)
      const references = new Set(textsOf(config.launch).flatMap(cheapReferences))
      return Effect.andThen(
        Effect.forEach(knownCredentials(config), ({ guarded, value }) => secrets.know(owner, value, { guarded }), {
          discard: true
        }),
        Effect.forEach(references, (reference) => Effect.ignore(secrets.resolve(owner, reference)), { discard: true })
      )
    },
    { discard: true }
  )
