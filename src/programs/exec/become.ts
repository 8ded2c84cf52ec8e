/**
 * Replaces this process by another program, like `exec` of a shell. Checks as much as possible first: afterwards nobody can
 * report an error.
 */
import { accessSync, closeSync, constants, openSync, readSync, statSync } from "node:fs"
import { delimiter } from "node:path"
import type { Variables } from "./environment.ts"

const NOT_FOUND = 127
const NOT_STARTED = 126

export interface NotStarted {
  readonly code: typeof NOT_FOUND | typeof NOT_STARTED
  /** A sentence that contains no arguments. */
  readonly problem: string
}

type Found = { readonly path: string } | NotStarted

const SHOWN_CHARS = 200

const shown = (name: string): string => JSON.stringify(name.slice(0, SHOWN_CHARS))

const kindOf = (path: string): "program" | "none" | "not to be run" => {
  const stats = statSync(path, { throwIfNoEntry: false })
  if (stats === undefined) return "none"
  if (!stats.isFile()) return "not to be run"
  try {
    accessSync(path, constants.X_OK)
    return "program"
  } catch {
    return "not to be run"
  }
}

/** Looks the command up like the system, in the PATH that the command will have. */
export const find = (command: string, env: Variables): Found => {
  const places = command.includes("/")
    ? [command]
    : (env["PATH"] ?? "/usr/bin:/bin").split(delimiter).map((folder) => `${folder === "" ? "." : folder}/${command}`)
  const kinds = places.map((path) => ({ path, kind: attempt(() => kindOf(path)) }))
  const program = kinds.find(({ kind }) => kind === "program")
  if (program !== undefined) return { path: program.path }
  return kinds.some(({ kind }) => kind === "not to be run")
    ? { code: NOT_STARTED, problem: `${shown(command)} cannot be executed: check its permissions` }
    : {
        code: NOT_FOUND,
        problem: `the command ${shown(command)} was not found: check its spelling and PATH, or write its full path`
      }
}

const attempt = (look: () => ReturnType<typeof kindOf>): ReturnType<typeof kindOf> => {
  try {
    return look()
  } catch {
    return "none"
  }
}

const FIRST_BYTES = 256
const MACHINE = ["7f454c46", "cffaedfe", "cefaedfe", "cafebabe", "feedfacf", "feedface"]

const firstOf = (path: string): Buffer => {
  try {
    const file = openSync(path, "r")
    try {
      const bytes = Buffer.alloc(FIRST_BYTES)
      return bytes.subarray(0, readSync(file, bytes))
    } finally {
      closeSync(file)
    }
  } catch {
    // An executable file need not be readable.
    return Buffer.from(MACHINE[0]!, "hex")
  }
}

/** Like the system's shells, runs a script without an interpreter line with the shell. */
const SHELL = ["/bin/sh", "-c", 'exec "$0" "$@"'] as const

const launchOf = (
  path: string,
  args: ReadonlyArray<string>
): readonly [string, ...ReadonlyArray<string>] | NotStarted => {
  const bytes = firstOf(path)
  if (MACHINE.includes(bytes.toString("hex", 0, 4))) return [path, ...args]
  if (bytes.toString("latin1", 0, 2) !== "#!") return [...SHELL, path, ...args]
  const [interpreter = ""] = bytes.toString("utf8", 2).split("\n", 1)[0]!.trim().split(/\s/, 1)
  return attempt(() => kindOf(interpreter)) === "program"
    ? [path, ...args]
    : { code: NOT_FOUND, problem: `the interpreter of ${shown(path)} was not found: ${shown(interpreter)}` }
}

/** Limits of Linux for one text, and for all together the limit that every system has. */
const TEXT_MAX_BYTES = 128 * 1024
const ALL_MAX_BYTES = 1024 * 1024 - 64 * 1024
const POINTER_BYTES = 8

const isTooLong = (texts: ReadonlyArray<string>): boolean => {
  const sizes = texts.map((text) => Buffer.byteLength(text) + 1)
  return (
    sizes.some((size) => size >= TEXT_MAX_BYTES) ||
    sizes.reduce((sum, size) => sum + size + POINTER_BYTES, 0) > ALL_MAX_BYTES
  )
}

/**
 * Node ignores these signals, and a program that replaces it would inherit that. Signals with a listener are reset by the system.
 */
const IGNORED_BY_NODE = ["SIGPIPE", "SIGXFSZ"] as const

/** Returns only when it fails. */
export const become = ([command, ...args]: readonly [string, ...ReadonlyArray<string>], env: Variables): NotStarted => {
  if (process.execve === undefined || process.platform === "win32") {
    return { code: NOT_STARTED, problem: "this system cannot put one program in the place of another" }
  }
  const found = find(command, env)
  if ("code" in found) return found
  if (isTooLong([...args, ...Object.entries(env).map(([name, value]) => `${name}=${value}`)])) {
    return { code: NOT_STARTED, problem: "arguments and environment are too long" }
  }
  const launch = launchOf(found.path, args)
  if ("code" in launch) return launch
  const [file, ...rest] = launch
  for (const signal of IGNORED_BY_NODE) process.on(signal, () => {})
  // Keeps Node's warning that this feature is experimental out of the command's stderr.
  process.emitWarning = () => {}
  process.execve(file, [file === found.path ? command : file, ...rest], { ...env })
  return { code: NOT_STARTED, problem: `the system refused to run ${shown(command)}` }
}
