/** The key of the marks in chains of orders: one for all processes of a data directory. */
import * as Effect from "effect/Effect"
import { randomBytes } from "node:crypto"
import { link, rm, writeFile } from "node:fs/promises"
import { join } from "node:path"
import { makeOwnDirectory, nameBeside, readOwn } from "../../system/ownFiles.ts"

const KEY = /^[0-9a-f]{64}$/
const KEY_BYTES = 32
const FILE_MAX_BYTES = 1024

const keep = async (directory: string): Promise<string> => {
  const path = join(directory, "chain-key")
  const read = async () => {
    const text = (await readOwn(path, FILE_MAX_BYTES))?.text ?? ""
    return KEY.test(text) ? text : undefined
  }
  const known = await read()
  if (known !== undefined) return known
  makeOwnDirectory(directory)
  const fresh = randomBytes(KEY_BYTES).toString("hex")
  const aside = nameBeside(path)
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

/** Where nothing can be kept, it is this process's alone: then it only knows itself again. */
export const chainKey = (directory: string | undefined): Effect.Effect<string> =>
  directory === undefined
    ? Effect.sync(() => randomBytes(KEY_BYTES).toString("hex"))
    : Effect.tryPromise(() => keep(directory)).pipe(Effect.orElseSucceed(() => randomBytes(KEY_BYTES).toString("hex")))
