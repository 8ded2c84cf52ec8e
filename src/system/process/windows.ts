/**
 * Starts programs on Windows. They are found by PATH and PATHEXT, never in the working directory unless it is named, and started without a shell.
 * Batch files (such as `npx.cmd`) run only in cmd.exe, which parses its line several times by its own rules. So every argument is quoted with an
 * even number of quotes at every position: all special characters of cmd.exe are within quotes, however often the line is parsed. An argument that
 * cannot be written like this is refused.
 */
import { closeSync, openSync, readSync, statSync } from "node:fs"
import { win32 } from "node:path"
import { BATCH_LINE_MAX_CHARS } from "../../schemas/defaults/Processes.ts"

export interface WindowsSpawn {
  readonly command: string
  readonly args: ReadonlyArray<string>
  /** The arguments are a complete command line. */
  readonly verbatim: boolean
}

/** Reads of the disk. */
export interface WindowsFiles {
  readonly isFile: (path: string) => boolean
  readonly firstLine: (path: string) => string
}

interface Wanted {
  readonly command: string
  readonly args: ReadonlyArray<string>
  readonly env: Readonly<Record<string, string>>
  readonly cwd: string | undefined
}

const FIRST_LINE_BYTES = 256
const STARTABLE = new Set([".com", ".exe", ".bat", ".cmd"])
const isBatch = (path: string) => /\.(?:bat|cmd)$/i.test(path)

const files: WindowsFiles = {
  isFile: (path) => statSync(path, { throwIfNoEntry: false })?.isFile() === true,
  firstLine: (path) => {
    const file = openSync(path, "r")
    try {
      const buffer = Buffer.alloc(FIRST_LINE_BYTES)
      return buffer.toString("latin1", 0, readSync(file, buffer)).split(/\r?\n/, 1)[0] ?? ""
    } finally {
      closeSync(file)
    }
  }
}

// ---- finding -------------------------------------------------------------------------------------------------------

/** Windows ignores the case of variable names. */
const variable = (env: Readonly<Record<string, string>>, name: string): string =>
  Object.entries(env).find(([key]) => key.toUpperCase() === name)?.[1] ?? ""

const unquoted = (directory: string) => directory.replace(/^"(.*)"$/, "$1")

/** The path of the program. A file without an extension comes last: npm puts a script for other shells beside each batch file. */
const find = ({ command, cwd, env }: Wanted, { isFile }: WindowsFiles): string | undefined => {
  const isPath = /[\\/]/.test(command) || /^[a-z]:/i.test(command)
  const directories = isPath
    ? [cwd ?? process.cwd()]
    : variable(env, "PATH").split(";").map(unquoted).filter(win32.isAbsolute)
  const extensions = (variable(env, "PATHEXT") || ".COM;.EXE;.BAT;.CMD")
    .split(";")
    .filter((extension) => STARTABLE.has(extension.toLowerCase()))
  const hasOne = win32.extname(command) !== ""
  for (const directory of directories) {
    const path = win32.resolve(directory, command)
    const candidates = extensions.map((extension) => path + extension.toLowerCase())
    const found = (hasOne ? [path, ...candidates] : [...candidates, path]).find(isFile)
    if (found !== undefined) return found
  }
  return undefined
}

// ---- batch files ---------------------------------------------------------------------------------------------------

/** An argument of only these characters needs no quotes. */
const PLAIN = /^[A-Za-z0-9#$*+\-./:?@\\_]+$/
/** Ends the command or the line, even within quotes. */
const UNQUOTABLE = /[\0\r\n]/

/** A percent sign would begin the name of a variable. This is a percent sign and an empty substring of a variable that always exists. */
const PERCENT = "%%cd:~,%"

/** Quotes one argument so that both cmd.exe and the program get it unchanged. */
export const quoteForBatch = (argument: string): string => {
  if (PLAIN.test(argument) && !argument.endsWith("\\")) return argument
  const quoted = argument
    // Programs read backslashes before a quote in pairs. A doubled quote is one quote for a program, and an empty quotation for cmd.exe.
    .replace(/(\\*)"/g, '$1$1""')
    .replace(/\\+$/, "$&$&")
    .replaceAll("%", PERCENT)
  return `"${quoted}"`
}

const runBatch = (path: string, args: ReadonlyArray<string>, systemRoot: string): WindowsSpawn | string => {
  if ([path, ...args].some((each) => UNQUOTABLE.test(each)) || path.includes('"')) {
    return "a batch file (.cmd, .bat) cannot be given an argument with a line break; name the program behind it as command"
  }
  const tooLong = `a batch file (.cmd, .bat) cannot be given more than ${BATCH_LINE_MAX_CHARS} characters of arguments`
  // Before the more expensive checks.
  if (args.reduce((sum, { length }) => sum + length, 0) > BATCH_LINE_MAX_CHARS) return tooLong
  const line = [`"${path.replaceAll("%", PERCENT)}"`, ...args.map(quoteForBatch)].join(" ")
  if (line.length > BATCH_LINE_MAX_CHARS) return tooLong
  return {
    command: `${systemRoot}\\System32\\cmd.exe`,
    // No autorun; extensions for the percent sign; no delayed expansion of "!"; only the outer quotes are removed.
    args: ["/d", "/e:on", "/v:off", "/s", "/c", `"${line}"`],
    verbatim: true
  }
}

// ---- both ----------------------------------------------------------------------------------------------------------

export const NOT_FOUND = "command not found; check its spelling and PATH, or write its full path"

/** What to start, or the reason why that is impossible. */
export const windowsSpawn = (
  wanted: Wanted,
  disk: WindowsFiles = files,
  systemRoot: string = process.env["SystemRoot"] ?? "C:\\Windows"
): WindowsSpawn | string => {
  // Node's own message would quote the argument.
  if ([wanted.command, ...wanted.args].some((each) => each.includes("\0"))) {
    return "command, args or env contain a NUL character"
  }
  const path = wanted.command === "" ? undefined : find(wanted, disk)
  if (path === undefined) return NOT_FOUND
  if (isBatch(path)) return runBatch(path, wanted.args, systemRoot)
  if (STARTABLE.has(win32.extname(path).toLowerCase())) return { command: path, args: wanted.args, verbatim: false }
  return runScript(path, wanted, disk, systemRoot)
}

/** Runs a script with the interpreter in its first line, as on other systems. */
function runScript(path: string, wanted: Wanted, disk: WindowsFiles, systemRoot: string): WindowsSpawn | string {
  const [, interpreter] = /^#!\s*(?:\S*\/env\s+(?:-S\s+)?)?(?:\S*\/)?([^\s/]+)\s*$/.exec(disk.firstLine(path)) ?? []
  if (interpreter === undefined) {
    return "Windows cannot start this file; name its interpreter as command, and the file in args"
  }
  const found = find({ ...wanted, command: interpreter }, disk)
  if (found === undefined) return `its interpreter ${interpreter} was not found; check PATH`
  const args = [path, ...wanted.args]
  if (isBatch(found)) return runBatch(found, args, systemRoot)
  return STARTABLE.has(win32.extname(found).toLowerCase())
    ? { command: found, args, verbatim: false }
    : `its interpreter ${interpreter} is not a program that Windows can start`
}
