/** The package that a command such as `npx` or `uvx` fetches before it starts it, as far as its arguments tell. Pure. */

interface Form {
  /** The words before what is fetched. */
  readonly words: ReadonlyArray<string>
  /** Whether the package is named behind them; otherwise a file says what is fetched. */
  readonly names: boolean
}
const named = (...words: ReadonlyArray<string>): Form => ({ words, names: true })

/** All programs that fetch what they start, by their names. */
const RUNNERS: ReadonlyMap<string, ReadonlyArray<Form>> = new Map([
  ["npx", [named()]],
  ["bunx", [named()]],
  ["pnpx", [named()]],
  ["uvx", [named()]],
  ["pnpm", [named("dlx")]],
  ["yarn", [named("dlx")]],
  ["bun", [named("x")]],
  ["npm", [named("exec"), named("x")]],
  ["uv", [named("tool", "run"), { words: ["run"], names: false }]],
  ["pipx", [named("run")]]
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

interface Fetching {
  readonly runner: string
  readonly form: Form
  /** The arguments behind the words. */
  readonly rest: ReadonlyArray<string>
}

/** What is behind these words, which may have flags between them. */
const behind = (args: ReadonlyArray<string>, words: ReadonlyArray<string>): ReadonlyArray<string> | undefined => {
  const [word, ...more] = words
  if (word === undefined) return args
  let at = 0
  while (args[at]?.startsWith("-") === true) at += VALUED.test(args[at]!) ? 2 : 1
  return args[at] === word ? behind(args.slice(at + 1), more) : undefined
}

const fetchingIn = (command: string, args: ReadonlyArray<string>): Fetching | undefined => {
  const runner = command
    .split(/[\\/]/)
    .at(-1)!
    .replace(/\.(?:cmd|exe|ps1)$/i, "")
  for (const form of RUNNERS.get(runner) ?? []) {
    const rest = behind(args, form.words)
    if (rest !== undefined) return { runner, form, rest }
  }
  return undefined
}

/** The words that fetch: `npx`, `npm exec`; `undefined` when nothing is fetched. */
export const fetcherOf = (command: string, args: ReadonlyArray<string>): string | undefined => {
  const found = fetchingIn(command, args)
  return found && [found.runner, ...found.form.words].join(" ")
}

const IMAGE_RUNNER = /(?:^|[\\/])(?:docker|podman)(?:\.exe)?$/i

/** Whether its first start may take long, because something is downloaded: a package or an image. */
export const mayFetch = (command: string, args: ReadonlyArray<string>): boolean =>
  fetcherOf(command, args) !== undefined || IMAGE_RUNNER.test(command)

/** `undefined` when no package is named: another command, a path, or a variable that is not known. */
export const fetchedPackage = (command: string, args: ReadonlyArray<string>): FetchedPackage | undefined => {
  const found = fetchingIn(command, args)
  if (found === undefined || !found.form.names) return undefined
  const { rest, runner } = found
  const written = packageIn(rest)
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
