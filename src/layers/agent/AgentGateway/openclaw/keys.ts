/**
 * What our conversations are called at a gateway: `agent:<agent>:acp-<namespace>-<id>`. The namespace is this data directory's
 * own, and not to be guessed, so that no id that a client makes up leads to a conversation of somebody else.
 */
import * as Effect from "effect/Effect"
import { createHash } from "node:crypto"
import { join } from "node:path"
import { keptOnce, makeWord } from "../../../../system/keptOnce.ts"

const NAMESPACE = { bytes: 8, encoding: "hex" } as const
const HASH_CHARS = 40
/** The gateway takes keys for equal whose letters differ in case only. */
const PLAIN = /^[0-9a-z][0-9a-z-]{7,63}$/

/** The namespace of a data directory; of this process alone where nothing can be kept. */
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

/** A conversation's own part of its key: it may be the name of a file. */
export const conversationId = (sessionKey: string): string =>
  PLAIN.test(sessionKey) ? sessionKey : createHash("sha256").update(sessionKey).digest("hex").slice(0, HASH_CHARS)

/** The agent that a gateway has for those who name none is usually called so. */
const MAIN_AGENT = "main"

export const keyOfId = (agent: string | undefined, namespace: string, id: string): string =>
  `agent:${agent ?? MAIN_AGENT}:acp-${namespace}-${id}`

export const gatewayKey = (agent: string | undefined, namespace: string, sessionKey: string): string =>
  keyOfId(agent, namespace, conversationId(sessionKey))
