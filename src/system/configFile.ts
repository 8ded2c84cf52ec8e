/**
 * Reads configuration files, ours and those of other programs: JSON with comments, TOML or YAML, by the ending of the name. A problem
 * with the file is one sentence. The parsers of TOML and YAML are loaded when there is such a file.
 */
import * as Effect from "effect/Effect"
import * as Result from "effect/Result"
import { readFile, stat } from "node:fs/promises"
import { isAbsolute, relative } from "node:path"
import { ConfigError } from "../schemas/config/ConfigError.ts"
import { type ConfigText, parseConfigText, type SyntaxProblem } from "../schemas/config/ConfigText.ts"
import { CONFIG_MAX_BYTES } from "../schemas/defaults/Configuration.ts"
import { codeOf } from "./ownFiles.ts"

/** Relative to the current directory if the file is below it, else absolute. */
export const shownPath = (cwd: string, file: string): string => {
  const short = relative(cwd, file)
  return short === "" || short.startsWith("..") || isAbsolute(short) ? file : short
}

export const failWith = (file: string, message: string, line: number = 0): Effect.Effect<never, ConfigError> =>
  Effect.fail(new ConfigError({ issues: [{ file, line, path: "", message }] }))

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

/** The text of a configuration file, within bounds. */
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

const parseText = (file: string, text: string): Effect.Effect<Result.Result<ConfigText, SyntaxProblem>> => {
  if (/\.toml$/i.test(file)) {
    return Effect.promise(async () => (await import("../schemas/config/TomlText.ts")).parseTomlText(text))
  }
  if (/\.ya?ml$/i.test(file)) {
    return Effect.promise(async () => (await import("../schemas/config/YamlText.ts")).parseYamlText(text))
  }
  return Effect.sync(() => parseConfigText(text))
}

/** The value of a file, with the lines of its keys. */
export const readConfigFile = Effect.fnUntraced(function* (file: string, shownFile: string) {
  const text = yield* readText(file, shownFile)
  const parsed = yield* parseText(file, text)
  if (Result.isFailure(parsed)) return yield* failWith(shownFile, parsed.failure.message, parsed.failure.line)
  return { ...parsed.success, text }
})
