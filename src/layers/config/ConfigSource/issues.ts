/** Problems with a file as a whole, and how messages name a file. */
import * as Effect from "effect/Effect"
import { isAbsolute, relative } from "node:path"
import { ConfigError } from "../../../schemas/config/ConfigError.ts"

/** Relative to the current directory if the file is below it, else absolute. */
export const shownPath = (cwd: string, file: string): string => {
  const short = relative(cwd, file)
  return short === "" || short.startsWith("..") || isAbsolute(short) ? file : short
}

/** The error code of the system, such as `ENOENT`. */
export const codeOf = (error: unknown): string | undefined =>
  error instanceof Error && "code" in error && typeof error.code === "string" ? error.code : undefined

export const failWith = (file: string, message: string, line: number = 0): Effect.Effect<never, ConfigError> =>
  Effect.fail(new ConfigError({ issues: [{ file, line, path: "", message }] }))
