/**
 * The report for a bug report: what is needed to understand a problem, without a secret. Values of variables, headers, arguments and
 * queries are masked by their place, before any masking by value. Pure.
 */
import { optionIn } from "../config/Resolve.ts"
import { holdsCredential } from "../config/ServerCredentials.ts"
import { fetchedPackage } from "../connection/FetchedPackage.ts"
import type { ServerConfig } from "../connection/ServerConfig.ts"
import { isObject, type Json } from "../data/Json.ts"

export const MASK = "[masked]"

/** Flags without a value, and the usual words of commands. A longer word after one dash may be a flag with its value: `-pPASSWORD`. */
const PLAIN_ARGUMENT =
  /^(?:--[A-Za-z][\w-]{0,40}|-[A-Za-z]{1,3}|stdio|http|sse|serve|server|start|run|exec|x|dlx|tool|mcp|-{2}|\.{1,2})$/
const FLAG = /^(-{1,2}[A-Za-z][\w-]{0,40})=/
/** The letter before a value in the same word. */
const SHORT_FLAG = /^-[A-Za-z]/
const CODE = /^(?:[\w.@~-]*[\\/])*[\w.-]+\.(?:[cm]?[jt]s|py|rb|jar)$/
const PLAIN_SEGMENT = /^(?:[A-Za-z][A-Za-z_.-]{0,15}|v?\d{1,3})?$/

const argument = (arg: string, known: string | undefined): string => {
  if (arg === known || PLAIN_ARGUMENT.test(arg) || CODE.test(arg)) return arg
  const flag = FLAG.exec(arg)?.[1]
  return flag === undefined ? MASK : `${flag}=${MASK}`
}

/** Host and plain parts of the path stay; user, query and everything that may be a token do not. */
export const maskedAddress = (text: string): string => {
  if (!URL.canParse(text)) return MASK
  const { origin, pathname, search } = new URL(text)
  const path = pathname
    .split("/")
    .map((segment) => (PLAIN_SEGMENT.test(segment) ? segment : MASK))
    .join("/")
  return `${origin}${path}${search === "" ? "" : `?${MASK}`}`
}

/** Flags without a value, and those that name the package. */
const HARMLESS_FLAG = /^(?:-y|-q|-p|--|--(?:yes|quiet|silent|package|from|offline|prefer-offline|isolated))$/

/** The value after a flag may be a credential, whatever it looks like. */
const maskedArguments = (args: ReadonlyArray<string>, known: string | undefined): ReadonlyArray<string> =>
  args.map((arg, i) => {
    const before = args[i - 1] ?? ""
    const isValue = /^--?[A-Za-z][\w-]*$/.test(before) && !HARMLESS_FLAG.test(before) && !arg.startsWith("-")
    return isValue ? MASK : argument(arg, known)
  })

const masks = (values: Readonly<Record<string, string>>): Readonly<Record<string, string>> =>
  Object.fromEntries(Object.keys(values).map((name) => [name, MASK]))

/** The entry of a server as the report shows it. */
export const maskedServer = (config: ServerConfig): Json => {
  const { enabled, launch, lazy, name, protocol, restartOnCrash, sandbox, share, timeout, toolTimeout } = config
  const settings = { enabled, lazy, protocol, restartOnCrash, sandbox: sandbox !== false, share, timeout, toolTimeout }
  if (launch.kind !== "stdio")
    return {
      name,
      url: maskedAddress(launch.url),
      transport: launch.kind,
      headers: masks(launch.headers),
      auth: launch.auth !== undefined,
      ...settings
    }
  const fetched = fetchedPackage(launch.command, launch.args)
  return {
    name,
    command: launch.command,
    args: maskedArguments(launch.args, fetched?.isName === true ? fetched.written : undefined),
    env: masks(launch.env),
    cwd: launch.cwd !== undefined,
    ...settings
  }
}

const ORDINARY = /^(?:[a-z]+|\d{1,6}|[~.]{0,2}\/.*|https?:\/\/[^?#@]*|\{?secret:\/\/.*)$/i

/** Arguments that are credentials by their option, also where they look like a common word. */
const credentialsIn = (args: ReadonlyArray<string>): ReadonlyArray<string> =>
  args.flatMap((arg, i) => (holdsCredential(optionIn(args[i - 1] ?? ""), arg) && !arg.startsWith("-") ? [arg] : []))

/** The values behind the masks that may be repeated in other texts. Common words are none. */
export const hiddenValues = ({ launch }: ServerConfig): ReadonlyArray<string> => {
  const texts =
    launch.kind === "stdio"
      ? [
          ...Object.values(launch.env),
          ...launch.args.flatMap((arg) => [arg, arg.replace(FLAG, ""), arg.replace(SHORT_FLAG, "")])
        ]
      : [
          ...Object.values(launch.headers).flatMap((value) => [value, ...value.split(/\s+/)]),
          ...(URL.canParse(launch.url)
            ? [...new URL(launch.url).searchParams.values(), ...new URL(launch.url).pathname.split("/")]
            : [])
        ]
  const shown = new Set(launch.kind === "stdio" ? maskedArguments(launch.args, undefined) : [])
  const fetched = launch.kind === "stdio" ? fetchedPackage(launch.command, launch.args) : undefined
  const credentials = new Set(launch.kind === "stdio" ? credentialsIn(launch.args) : [])
  return [...new Set(texts)].filter(
    (text) =>
      text.length >= 6 &&
      text !== fetched?.written &&
      (credentials.has(text) || (!shown.has(text) && !ORDINARY.test(text)))
  )
}

/** Names of users that say nothing about a person. */
const NOBODY = /^(?:root|node|user|admin|app|runner|ubuntu|debian|docker|vagrant|.{0,2})$/i

const escaped = (text: string): string => text.replace(/[.*+?^${}()|[\]\\]/g, "\\$&")

/** Replaces the home directory, and the names of the user and the machine. */
export const anonymous =
  (self: { readonly home: string; readonly user: string; readonly host: string }) =>
  (text: string): string => {
    const atHome = self.home.length > 1 ? text.replaceAll(self.home, "~") : text
    return [
      [self.user, "USER"],
      [self.host, "HOST"]
    ].reduce(
      (rest, [name = "", instead = ""]) =>
        NOBODY.test(name)
          ? rest
          : rest.replace(new RegExp(`(?<![\\p{L}\\p{N}])${escaped(name)}(?![\\p{L}\\p{N}])`, "gu"), instead),
      atHome
    )
  }

/** Changes every text in a value, names of members excepted. */
export const mapTexts = (value: unknown, change: (text: string) => string): unknown => {
  if (typeof value === "string") return change(value)
  if (Array.isArray(value)) return value.map((one) => mapTexts(one, change))
  if (!isObject(value)) return value
  return Object.fromEntries(Object.entries(value).map(([key, one]) => [key, mapTexts(one, change)]))
}

/** One part of the report. */
export interface Section {
  readonly title: string
  readonly content: unknown
}

const lines = (content: unknown): string =>
  Array.isArray(content) && content.every((one) => typeof one === "string")
    ? content.length === 0
      ? "(none)"
      : content.join("\n")
    : JSON.stringify(content, null, 2)

export const READ_FIRST =
  "Read this file before you send it to anybody: masking by rules cannot know everything that is private to you."

/** As text, one section after the other. */
export const renderReport = (sections: ReadonlyArray<Section>): string =>
  [
    `# Report of mcp-live doctor\n\n${READ_FIRST}`,
    ...sections.map(({ content, title }) => `## ${title}\n\n${lines(content)}`)
  ]
    .join("\n\n")
    .concat("\n")
