/**
 * Registers the secrets of servers before they are started: plain credentials in their configuration, and references that are
 * cheap to resolve. Commands and networks are used only when the server starts.
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

/** In braces a reference means the same, whatever characters its path contains. */
const cheapReferences = (text: string): ReadonlyArray<string> => {
  const parsed = parse(text)
  if ("malformed" in parsed) return []
  return parsed.parts.flatMap((part) =>
    typeof part !== "string" && CHEAP.has(part.provider) ? [`{${part.written}}`] : []
  )
}

/** A missing secret is reported when its server fails to start. */
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
        Effect.forEach(references, (reference) => Effect.ignore(secrets.resolve(owner, reference, { early: true })), {
          discard: true
        })
      )
    },
    { discard: true }
  )
