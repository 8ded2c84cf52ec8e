/** The package that a command such as `npx` or `uvx` fetches before it starts it, as far as its arguments tell. Pure. */

/** The words before the package name. */
const RUNNERS: ReadonlyMap<string, ReadonlyArray<string>> = new Map([
  ["npx", []],
  ["bunx", []],
  ["pnpx", []],
  ["uvx", []],
  ["pnpm", ["dlx"]],
  ["yarn", ["dlx"]],
  ["npm", ["exec", "x"]],
  ["uv", ["tool", "run"]],
  ["pipx", ["run"]]
])

/** Flags with a value; `--package` and `--from` name the package. */
const NAMING = /^(?:-p|--package|--from)(?:=(.*))?$/
const VALUED = /^(?:--registry|--cache|--prefix|--python|-w|--workspace|--index-url|--with)$/

const EXACT = /(?:@\d+\.\d+\.\d+[\w.+-]*|==\d[\w.+!-]*)$/
const PACKAGE = /^(?:@[a-z\d][\w.-]*\/)?[A-Za-z\d][\w.-]*(?:\[[\w,.-]*\])?(?:(?:@|==|~=|>=)[\w.^~*+-]+)?$/
const PARTS = /^((?:@[^/@]+\/)?[^@=~>[]+)(?:\[[^\]]*\])?(?:(?:@|==)(.+))?/

const packageIn = (args: ReadonlyArray<string>): string | undefined => {
  for (let i = 0; i < args.length; i++) {
    const arg = args[i]!
    const [naming, given] = NAMING.exec(arg) ?? []
    if (naming !== undefined) return given ?? args[i + 1]
    if (VALUED.test(arg)) i++
    else if (!arg.startsWith("-")) return arg
  }
  return undefined
}

export interface FetchedPackage {
  /** `npx`, `uv`, … */
  readonly runner: string
  /** As in the arguments: a name with or without a version, or something else that the runner takes. */
  readonly written: string
  /** Whether it looks like a name from a registry. */
  readonly isName: boolean
  /** Without its version. */
  readonly name: string
  /** The exact version that it names. */
  readonly version: string | undefined
}

/** `undefined` when nothing is fetched: another command, a path, or a variable that is not known. */
export const fetchedPackage = (command: string, args: ReadonlyArray<string>): FetchedPackage | undefined => {
  const runner = command
    .split(/[\\/]/)
    .at(-1)!
    .replace(/\.(?:cmd|exe|ps1)$/i, "")
  const words = RUNNERS.get(runner)
  if (words === undefined) return undefined
  const first = args.findIndex((arg) => words.includes(arg))
  if (words.length > 0 && first === -1) return undefined
  const last = args.findLastIndex((arg, i) => words.includes(arg) && i <= first + words.length - 1)
  const written = packageIn(args.slice(last + 1))
  if (written === undefined || written.includes("${") || /^[./~]/.test(written)) return undefined
  const [, name = written, version] = PARTS.exec(written) ?? []
  return {
    runner,
    written,
    isName: PACKAGE.test(written),
    name,
    version: EXACT.test(written) ? version : undefined
  }
}
