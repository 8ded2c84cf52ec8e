/** Reads a configuration file as text. A problem with the file itself becomes one sentence. */
import * as Effect from "effect/Effect"
import { readFile, stat } from "node:fs/promises"
import type { ConfigError } from "../../../schemas/config/ConfigError.ts"
import { CONFIG_MAX_BYTES } from "../../../schemas/defaults/Configuration.ts"
import { codeOf, failWith } from "./issues.ts"

const REASONS: ReadonlyMap<string, string> = new Map([
  ["ENOENT", "there is no such file"],
  ["ENOTDIR", "there is no such file"],
  ["EACCES", "cannot be read: permission denied"],
  ["EPERM", "cannot be read: permission denied"],
  ["ELOOP", "cannot be read: its symbolic links lead in a circle"]
])

const reasonFor = (error: unknown): string => {
  const code = codeOf(error)
  return code === undefined ? "cannot be read" : (REASONS.get(code) ?? `cannot be read (${code})`)
}

const attempt = <A>(shownFile: string, run: () => Promise<A>): Effect.Effect<A, ConfigError> =>
  Effect.tryPromise({ try: run, catch: reasonFor }).pipe(Effect.catch((reason) => failWith(shownFile, reason)))

const megabytes = (bytes: number) => `${(bytes / 2 ** 20).toFixed(1)} MiB`

const decodeUtf8 = (bytes: Uint8Array): string | undefined => {
  try {
    return new TextDecoder("utf-8", { fatal: true }).decode(bytes)
  } catch {
    return undefined
  }
}

export const readText = Effect.fnUntraced(function* (
  file: string,
  shownFile: string
): Effect.fn.Return<string, ConfigError> {
  const found = yield* attempt(shownFile, () => stat(file))
  if (found.isDirectory()) return yield* failWith(shownFile, "is a directory, not a file")
  // Reading anything else than a regular file could block, or never end.
  if (!found.isFile()) return yield* failWith(shownFile, "is not a regular file")
  if (found.size > CONFIG_MAX_BYTES) {
    const sizes = `${megabytes(found.size)}; at most ${megabytes(CONFIG_MAX_BYTES)} are read`
    return yield* failWith(shownFile, `is too large for a configuration: ${sizes}`)
  }
  const bytes = yield* attempt(shownFile, () => readFile(file))
  // UTF-16 has NUL bytes, which the parser reports with their line.
  const text = decodeUtf8(bytes)
  return text === undefined ? yield* failWith(shownFile, "is not UTF-8 text") : text
})
