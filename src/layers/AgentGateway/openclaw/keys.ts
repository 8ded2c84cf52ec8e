/**
 * What our conversations are called at a gateway: `agent:<agent>:acp-<namespace>-<id>`. The namespace is this data directory's
 * own, and not to be guessed, so that no id that a client makes up leads to a conversation of somebody else.
 */
import * as Effect from "effect/Effect"
import { createHash, randomBytes } from "node:crypto"
import { link, readFile, rm, writeFile } from "node:fs/promises"
import { join } from "node:path"
import { makeDirectory } from "../../../system/ownFiles.ts"

const NAMESPACE = /^[0-9a-f]{16}$/
const NAMESPACE_BYTES = 8
const HASH_CHARS = 40
/** The gateway takes keys for equal whose letters differ in case only. */
const PLAIN = /^[0-9a-z][0-9a-z-]{7,63}$/

const keep = async (directory: string): Promise<string> => {
  const folder = join(directory, "gateway")
  const path = join(folder, "namespace")
  const read = async () => {
    const text = await readFile(path, "utf8").catch(() => "")
    return NAMESPACE.test(text) ? text : undefined
  }
  const known = await read()
  if (known !== undefined) return known
  makeDirectory(folder)
  const fresh = randomBytes(NAMESPACE_BYTES).toString("hex")
  const aside = `${path}.${process.pid}-${fresh}.tmp`
  try {
    await writeFile(aside, fresh, { flag: "wx", mode: 0o600 })
    // Two processes that make it at once end up with the same one.
    await link(aside, path)
  } catch {
    // It is there by now, or nothing can be written here.
  } finally {
    await rm(aside, { force: true })
  }
  return (await read()) ?? fresh
}

/** The namespace of a data directory; of this process alone where nothing can be kept. */
export const namespaceOf = (directory: string): Effect.Effect<string> =>
  Effect.tryPromise(() => keep(directory)).pipe(
    Effect.catch(() =>
      Effect.as(
        Effect.logWarning("the data directory cannot be written: conversations at the gateway will not be found again"),
        randomBytes(NAMESPACE_BYTES).toString("hex")
      )
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
