/** The questions of a bundle, and the server entry that its manifest and the answers give. Pure. */
import type * as Result from "effect/Result"
import { isAbsolute, join, relative, sep } from "node:path"
import { type Answers, literal, type Piece, type Question, Refused, refusable, written } from "../Question.ts"
import type { Manifest, UserOption } from "./Manifest.ts"

type Entry = Readonly<Record<string, unknown>>

/** The machine that the bundle will run on. */
export interface Ground {
  readonly platform: NodeJS.Platform
  readonly home: string
}

const folders = ({ home }: Ground): Readonly<Record<string, string>> => ({
  HOME: home,
  DESKTOP: join(home, "Desktop"),
  DOCUMENTS: join(home, "Documents"),
  DOWNLOADS: join(home, "Downloads")
})

const VARIABLE = /\$\{([^}]*)\}/g

/** A default may name a folder of the user. */
const presetOf = (value: UserOption["default"], ground: Ground): ReadonlyArray<string> =>
  (value === undefined ? [] : Array.isArray(value) ? value : [value]).map((one) =>
    String(one).replace(VARIABLE, (whole, name: string) => folders(ground)[name] ?? whole)
  )

export const questionsOf = ({ user_config = {} }: Manifest, ground: Ground): ReadonlyArray<Question> =>
  Object.entries(user_config).map(([key, option]) => ({
    key,
    title: option.title ?? key,
    description: option.description ?? "",
    required: option.required === true,
    secret: option.sensitive === true,
    repeated: option.multiple === true,
    format: option.type === "directory" || option.type === "file" ? "filepath" : option.type,
    preset: presetOf(option.default, ground),
    choices: [],
    min: option.min,
    max: option.max
  }))

const USER_CONFIG = "user_config."

/** The value of a variable in a text: several for an option that may be given more than once. */
const valueIn =
  (directory: string, ground: Ground, answers: Answers, options: Readonly<Record<string, unknown>>) =>
  (name: string): ReadonlyArray<Piece> | undefined => {
    if (name.startsWith(USER_CONFIG)) {
      const key = name.slice(USER_CONFIG.length)
      return Object.hasOwn(options, key) ? (answers.get(key) ?? []) : undefined
    }
    if (name === "__dirname") return [literal(directory)]
    if (name === "pathSeparator" || name === "/") return [literal(ground.platform === "win32" ? "\\" : "/")]
    const folder = Object.hasOwn(folders(ground), name) ? folders(ground)[name] : undefined
    return folder === undefined ? undefined : [literal(folder)]
  }

const filled = (text: string, valueOf: ReturnType<typeof valueIn>): ReadonlyArray<Piece> => {
  const pieces: Array<Piece> = []
  let end = 0
  for (const { 0: whole, 1: name = "", index } of text.matchAll(VARIABLE)) {
    const value = valueOf(name)
    if (value === undefined) continue
    pieces.push(literal(text.slice(end, index)))
    for (const [i, piece] of value.entries()) pieces.push(...(i === 0 ? [piece] : [literal(","), piece]))
    end = index + whole.length
  }
  return [...pieces, literal(text.slice(end))]
}

/** The option alone: each of its values is a word. */
const ALONE = /^\$\{(user_config\.[^}]*)\}$/

/** A path of the bundle must stay in it, also one that begins with its folder. Others are paths of this machine. */
const inside = (directory: string, path: string): string => {
  const isOwn = !isAbsolute(path) || path.startsWith(directory)
  const whole = isAbsolute(path) ? path : join(directory, path)
  const steps = relative(directory, whole)
  if (isOwn && (steps === ".." || steps.startsWith(`..${sep}`))) {
    throw new Refused("starts a program outside of its own folder")
  }
  return whole
}

const launchOf = ({ server }: Manifest, { platform }: Ground) => {
  const { entry_point, mcp_config, type } = server
  if (mcp_config === undefined) {
    if (type !== "uv") throw new Refused("does not say how it is started")
    return { command: "uv", args: ["run", "--directory", "${__dirname}", entry_point], env: {} }
  }
  const { args = [], command, env = {}, platform_overrides = {} } = mcp_config
  const own = Object.hasOwn(platform_overrides, platform) ? platform_overrides[platform] : undefined
  return { command: own?.command ?? command, args: own?.args ?? args, env: own?.env ?? env }
}

/** Without a path, it is looked up as usual. */
const isPath = (command: string): boolean => /[\\/]/.test(command)

/** The files that have to be executable, whatever the archive says: `binary` bundles are packed on Windows, too. */
export const programOf = (manifest: Manifest, ground: Ground): string | undefined =>
  manifest.server.type === "binary"
    ? manifest.server.entry_point
    : isPath(launchOf(manifest, ground).command)
      ? launchOf(manifest, ground).command
      : undefined

/** What keeps it from running here. */
export const unfit = ({ compatibility }: Manifest, { platform }: Ground): string | undefined => {
  const platforms = compatibility?.platforms
  return platforms === undefined || platforms.length === 0 || platforms.includes(platform)
    ? undefined
    : `is for ${platforms.join(", ")}, and this is ${platform}`
}

/** `directory` is where the bundle is, or will be, unpacked. */
export const bundleEntry = (
  manifest: Manifest,
  directory: string,
  ground: Ground,
  answers: Answers
): Result.Result<Entry, string> =>
  refusable(() => {
    const { args, command, env } = launchOf(manifest, ground)
    const valueOf = valueIn(directory, ground, answers, manifest.user_config ?? {})
    const text = (given: string, what: string) => written(filled(given, valueOf), what)
    const words = args.flatMap((arg, i) => {
      const what = `argument ${i + 1}`
      const values = valueOf(ALONE.exec(arg)?.[1] ?? "")
      return values === undefined ? [text(arg, what)] : values.map((piece) => written([piece], what))
    })
    const program = text(command, "the command")
    const variables = Object.fromEntries(
      Object.entries(env).flatMap(([name, value]) => {
        // An option that nobody has set is no empty text.
        const isUnset = valueOf(ALONE.exec(value)?.[1] ?? "")?.length === 0
        return isUnset ? [] : [[name, text(value, `the variable ${name}`)]]
      })
    )
    return {
      command: isPath(program) ? inside(directory, program) : program,
      ...(words.length > 0 && { args: words }),
      ...(Object.keys(variables).length > 0 && { env: variables }),
      cwd: directory
    }
  })
