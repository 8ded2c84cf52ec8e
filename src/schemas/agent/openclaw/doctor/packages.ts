/** Finds programs that download and run a package of no fixed version. */
import { ofArgument } from "../NativeCredentials.ts"

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

/**
 * The package without a fixed version, by a name that is safe to show; `undefined` when the version is fixed or nothing is
 * downloaded.
 */
export const floatingPackage = (command: string, args: ReadonlyArray<string>): string | undefined => {
  const runner = command
    .split(/[\\/]/)
    .at(-1)!
    .replace(/\.(?:cmd|exe|ps1)$/i, "")
  const words = RUNNERS.get(runner)
  if (words === undefined) return undefined
  const first = args.findIndex((arg) => words.includes(arg))
  if (words.length > 0 && first === -1) return undefined
  const last = args.findLastIndex((arg, i) => words.includes(arg) && i <= first + words.length - 1)
  const named = packageIn(args.slice(last + 1))
  if (named === undefined || named.includes("${") || /^[./~]/.test(named) || EXACT.test(named)) return undefined
  // The value of an unknown flag could be mistaken for the package, and be a credential.
  const isSecret = args.some((arg, i) => arg.includes(named) && ofArgument(args, i).length > 0)
  return PACKAGE.test(named) && !isSecret ? named : "a package"
}
