/**
 * Paths for a sandbox: with every symbolic link on the way, because paths are the same in the sandbox, and with the files that a program needs
 * beside itself. Only reads the disk.
 */
import {
  accessSync,
  closeSync,
  constants,
  openSync,
  readlinkSync,
  lstatSync,
  readSync,
  realpathSync,
  statSync
} from "node:fs"
import { basename, dirname, extname, isAbsolute, join, resolve, sep } from "node:path"

const LINKS_MAX = 40
const SHEBANG_BYTES = 256

const attempt = <A>(read: () => A): A | undefined => {
  try {
    return read()
  } catch {
    return undefined
  }
}

export const isFile = (path: string): boolean => attempt(() => statSync(path).isFile()) === true
export const isDirectory = (path: string): boolean => attempt(() => statSync(path).isDirectory()) === true
export const isThere = (path: string): boolean => attempt(() => lstatSync(path)) !== undefined
const linkTarget = (path: string): string | undefined => attempt(() => readlinkSync(path))

/** Whether `path` is `directory` or in it. */
export const isWithin = (path: string, directory: string): boolean =>
  path === directory || path.startsWith(directory.endsWith(sep) ? directory : directory + sep)

/** A path without links, and the links that lead there. */
export interface Revealed {
  readonly real: string
  readonly links: ReadonlyArray<readonly [link: string, target: string]>
}

/** `undefined` if nothing is there. */
export const reveal = (path: string): Revealed | undefined => {
  const links: Array<readonly [string, string]> = []
  let rest = path.split(sep).filter(Boolean)
  let real: string = sep
  while (rest.length > 0) {
    const [name = "", ...later] = rest
    const next = join(real, name)
    const target = linkTarget(next)
    if (target === undefined) {
      if (!isThere(next)) return undefined
      real = next
      rest = later
      continue
    }
    if (links.length >= LINKS_MAX) return undefined
    links.push([next, target])
    rest = [...target.split(sep).filter(Boolean), ...later]
    if (isAbsolute(target)) real = sep
  }
  return { real, links }
}

/** The places where the system looks for a program; for a name without a slash, those of PATH. */
export const placesOf = (command: string, path: string, cwd: string): ReadonlyArray<string> => {
  if (command === "") return []
  return command.includes(sep)
    ? [resolve(cwd, command)]
    : path.split(":").map((directory) => resolve(cwd, directory, command))
}

/** The place where the system finds a program. */
export const findProgram = (command: string, path: string, cwd: string): string | undefined =>
  placesOf(command, path, cwd).find(canRun)

export const canRun = (path: string): boolean =>
  isFile(path) &&
  attempt(() => {
    accessSync(path, constants.X_OK)
    return true
  }) === true

/** The first line of a script: the interpreter as written, and its first argument. */
export const shebangOf = (
  path: string
): { readonly program: string; readonly argument: string | undefined } | undefined => {
  const line = attempt(() => {
    const file = openSync(path, "r")
    try {
      const buffer = Buffer.alloc(SHEBANG_BYTES)
      return buffer.toString("latin1", 0, readSync(file, buffer)).split("\n", 1)[0]
    } finally {
      closeSync(file)
    }
  })
  const [, program, argument] = /^#!\s*(\S+)(?:\s+(?:-S\s+)?(\S+))?/.exec(line ?? "") ?? []
  return program === undefined ? undefined : { program, argument }
}

/** The interpreter of a script, also behind `env`. */
export const interpreterOf = (path: string): string | undefined => {
  const { argument, program } = shebangOf(path) ?? {}
  return program !== undefined && basename(program) === "env" ? argument : program
}

// ---- the files of a program ------------------------------------------------------------------------------------

/** Arguments with these extensions are programs for an interpreter. Others are data, which must be listed in the configuration. */
const CODE = new Set(
  [
    ".js",
    ".mjs",
    ".cjs",
    ".ts",
    ".mts",
    ".cts",
    ".tsx",
    ".jsx",
    ".py",
    ".pyz",
    ".rb",
    ".pl",
    ".php",
    ".lua",
    ".jar"
  ].concat([".sh", ".wasm"])
)
/** Files that mark the root of a package. */
const PACKAGE_FILES = ["package.json", "deno.json", "pyproject.toml", "Gemfile"]
/** Directories of unrelated files: of a program in one of them, only its own file is shown. */
const SHARED = new Set(
  [
    "/",
    "/boot",
    "/dev",
    "/etc",
    "/home",
    "/media",
    "/mnt",
    "/opt",
    "/proc",
    "/root",
    "/run",
    "/srv",
    "/sys",
    "/tmp"
  ].concat(["/usr", "/var", "/var/lib", "/var/tmp", "/dev/shm"])
)

export const isCode = (path: string): boolean => CODE.has(extname(path).toLowerCase()) && isFile(path)

const ancestors = (directory: string): ReadonlyArray<string> => {
  const parent = dirname(directory)
  return parent === directory ? [directory] : [directory, ...ancestors(parent)]
}

/** Whether the directory has unrelated files, or all files of a user. */
const isShared = (directory: string, homes: ReadonlyArray<string>) =>
  SHARED.has(directory) || homes.some((home) => isWithin(home, directory))

/** The directory of a file, or the file alone if the directory is shared. */
export const directoryOf = (file: string, homes: ReadonlyArray<string>): string =>
  isShared(dirname(file), homes) ? file : dirname(file)

/** Whether modules belong to a program: not a link, and not in a place or of a user where a stranger could have put them. */
const isOwnModules =
  (file: string) =>
  (modules: string): boolean => {
    const [itself, place] = [attempt(() => lstatSync(modules)), attempt(() => statSync(dirname(modules)))]
    if (itself?.isDirectory() !== true || place === undefined || (place.mode & 0o002) !== 0) return false
    return [0, process.getuid?.(), attempt(() => statSync(file))?.uid].includes(itself.uid)
  }

/** The files that a program needs: its package, the modules around it, its virtual environment, its libraries. */
export const ownDirectories = (file: string, homes: ReadonlyArray<string>): ReadonlyArray<string> => {
  const directory = dirname(file)
  const above = ancestors(directory)
  const hasOneOf = (names: ReadonlyArray<string>) => (each: string) => names.some((name) => isThere(join(each, name)))

  const nearest = above.find(hasOneOf(PACKAGE_FILES))
  const root = nearest === undefined || isShared(nearest, homes) ? directoryOf(file, homes) : nearest
  // Programs look for modules in every parent directory.
  const around = above.map((each) => join(each, "node_modules")).filter(isOwnModules(file))
  const environment = above.slice(0, 3).find(hasOneOf(["pyvenv.cfg"]))
  const libraries =
    basename(directory) === "bin"
      ? ["lib", "lib64", "libexec"].map((name) => join(dirname(directory), name)).filter(isDirectory)
      : []
  return [
    root,
    ...around,
    ...(environment === undefined || isShared(environment, homes) ? [] : [environment]),
    ...libraries
  ]
}

export const realOf = (path: string): string => attempt(() => realpathSync(path)) ?? path
