/**
 * The keys of our conversations at a gateway: `agent:<agent>:acp-<namespace>-<id>`. The namespace belongs to this data
 * directory and cannot be guessed, so no id that a client invents leads to somebody else's conversation.
 */
import * as Effect from "effect/Effect"
import { createHash } from "node:crypto"
import { join } from "node:path"
import { keptOnce, makeWord } from "../../../../system/keptOnce.ts"

const NAMESPACE = { bytes: 8, encoding: "hex" } as const
const HASH_CHARS = 40
/** Lower case only, because the gateway ignores case in keys. */
const PLAIN = /^[0-9a-z][0-9a-z-]{7,63}$/

/** The namespace of a data directory; of this process only if nothing can be stored. */
export const namespaceOf = (directory: string): Effect.Effect<string> =>
  Effect.tryPromise(() => keptOnce({ ...NAMESPACE, path: join(directory, "gateway", "namespace") })).pipe(
    Effect.orElseSucceed(() => undefined),
    Effect.flatMap((kept) =>
      kept === undefined
        ? Effect.as(
            Effect.logWarning(
              "the data directory cannot be written: conversations at the gateway will not be found again"
            ),
            makeWord(NAMESPACE)
          )
        : Effect.succeed(kept)
    )
  )

/** The part of the key for one conversation; safe as a file name. */
export const conversationId = (sessionKey: string): string =>
  PLAIN.test(sessionKey) ? sessionKey : createHash("sha256").update(sessionKey).digest("hex").slice(0, HASH_CHARS)

/** The usual name of a gateway's default agent. */
const MAIN_AGENT = "main"

export const keyOfId = (agent: string | undefined, namespace: string, id: string): string =>
  `agent:${agent ?? MAIN_AGENT}:acp-${namespace}-${id}`

export const gatewayKey = (agent: string | undefined, namespace: string, sessionKey: string): string =>
  keyOfId(agent, namespace, conversationId(sessionKey))
