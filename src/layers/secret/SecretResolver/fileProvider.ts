/**
 * `secret://file/run/secrets/token` is the content of /run/secrets/token, `secret://file/~/token` that of a file in the home directory. One
 * line break at the end is removed. Links are followed.
 */
import * as Effect from "effect/Effect"
import { constants } from "node:fs"
import { type FileHandle, open } from "node:fs/promises"
import { join } from "node:path"
import { SECRET_FILE_MAX_BYTES } from "../../../schemas/defaults/Secrets.ts"
import type { SecretProvider } from "./SecretProvider.ts"

export const make = (home: string): SecretProvider => ({
  read: (path, version) =>
    version === undefined ? readText(locate(path, home)) : Effect.fail("files have no versions")
})

const locate = (path: string, home: string): string => {
  if (path.startsWith("~/")) return join(home, path.slice(2))
  return /^[A-Za-z]:\//.test(path) && process.platform === "win32" ? path : `/${path}`
}

const readText = Effect.fnUntraced(function* (path: string) {
  const bytes = yield* Effect.acquireUseRelease(
    attempt(() => open(path, FLAGS)),
    readBytes,
    (file) => Effect.promise(() => file.close())
  )
  return (yield* decode(bytes)).replace(/\r?\n$/, "")
})

/** Opening must not block: perhaps nobody ever writes to a pipe. */
const FLAGS = constants.O_RDONLY | (constants.O_NONBLOCK ?? 0)

const readBytes = Effect.fnUntraced(function* (file: FileHandle) {
  const stat = yield* attempt(() => file.stat())
  if (!stat.isFile()) return yield* Effect.fail("it is not a regular file")
  // Reads one byte more than is allowed, whatever size the file claims to have.
  const buffer = Buffer.alloc(SECRET_FILE_MAX_BYTES + 1)
  let length = 0
  while (length < buffer.length) {
    const { bytesRead } = yield* attempt(() => file.read(buffer, length, buffer.length - length, length))
    if (bytesRead === 0) break
    length += bytesRead
  }
  return length > SECRET_FILE_MAX_BYTES ? yield* Effect.fail(TOO_LARGE) : buffer.subarray(0, length)
})

const TOO_LARGE = `the file is larger than ${SECRET_FILE_MAX_BYTES / 1024 / 1024} MiB`

const decode = (bytes: Uint8Array): Effect.Effect<string, string> =>
  Effect.try({
    try: () => new TextDecoder("utf-8", { fatal: true, ignoreBOM: true }).decode(bytes),
    catch: () => "the file is not UTF-8 text"
  })

/** The message of the system repeats the path; the code tells as much. */
const attempt = <A>(run: () => Promise<A>): Effect.Effect<A, string> =>
  Effect.tryPromise({
    try: () => run(),
    catch: (error) => REASONS[codeOf(error)] ?? `it cannot be read (${codeOf(error)})`
  })

const codeOf = (error: unknown): string =>
  error instanceof Error && "code" in error && typeof error.code === "string" ? error.code : "unknown reason"

const REASONS: Readonly<Record<string, string>> = {
  ENOENT: "there is no such file",
  ENOTDIR: "there is no such file",
  EACCES: "permission to read the file is denied",
  EPERM: "permission to read the file is denied",
  EISDIR: "it is not a regular file",
  ENXIO: "it is not a regular file",
  ELOOP: "it is a link that leads nowhere"
}
