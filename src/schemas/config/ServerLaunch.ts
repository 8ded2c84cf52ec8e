/** Decides how a merged server entry is launched: its transport, and everything that the transport needs. */
import { blockedWords, forbiddenHost, ownReach } from "../connection/Reach.ts"
import { fetcherOf } from "../connection/FetchedPackage.ts"
import type { SandboxOptions } from "../connection/Sandbox.ts"
import type { HttpLaunch, Launch, StdioLaunch } from "../connection/ServerConfig.ts"
import { buildAuth } from "./AuthEntry.ts"
import { SECRET_SCHEME } from "../secret/SecretReference.ts"
import { checkVariables, readAllowed } from "./Variables.ts"
import { itemsOf, type KeyPath, type Located, type NamedText } from "./KeyPath.ts"
import type { Report } from "./Report.ts"
import {
  checkUrl,
  chooseWord,
  expandArgument,
  expandCommand,
  expandDirectory,
  optionBefore,
  refuseMask,
  refuseMaskedUrl,
  refuseSecret,
  type Resolved,
  resolveText,
  type Surroundings,
  warnOfSpaces
} from "./Resolve.ts"
import { SERVER_KEYS } from "./ServerKeys.ts"
import type { ServerEntry } from "./ServerEntry.ts"

const HEADER_NAME = /^[!#$%&'*+.^_`|~0-9A-Za-z-]+$/
/** Characters that a header cannot carry; checked before `fetch`, whose error would show the value. */
const NOT_IN_HEADER = /[^\t\x20-\x7e\x80-\xff]/

export interface LaunchContext {
  readonly report: Report
  readonly surroundings: Surroundings
  /** The variables of a disabled server are not needed. */
  readonly enabled: boolean
}

const resolver =
  ({ enabled, report, surroundings }: LaunchContext) =>
  (located: Located<string>) =>
    resolveText(report, surroundings.env, enabled, located)

/** The same for a possible credential, which must not be a mask. */
const valueResolver = (context: LaunchContext) => (located: Located<string> & { readonly name?: string }) => {
  const resolved = resolver(context)(located)
  if (context.enabled) refuseMask(context.report, resolved, located.name)
  return resolved
}

/** An ambiguous transport is reported and then guessed, so that the rest of the entry is checked as well. */
const chooseTransport = (context: LaunchContext, { fields, path }: ServerEntry): Launch["kind"] => {
  const { report } = context
  const likely = fields.url === undefined ? "stdio" : "http"
  if (fields.transport !== undefined) {
    const chosen = chooseWord(report, SERVER_KEYS.transport, fields.transport, resolver(context)(fields.transport))
    if (chosen === undefined || chosen === "auto") return likely
    return chosen === "stdio" || chosen === "sse" ? chosen : "http"
  }
  if (fields.url !== undefined && fields.command !== undefined) {
    report.error(path, 'has both "command" and "url": keep one, or choose with "transport"')
  }
  return likely
}

const warnOfIdleKeys = (
  context: LaunchContext,
  kind: Launch["kind"],
  idle: ReadonlyArray<readonly [key: string, place: KeyPath | undefined]>
): void => {
  for (const [key, place] of idle) {
    if (context.enabled && place !== undefined) {
      context.report.warn(place, `"${key}" has no effect with transport "${kind}"`)
    }
  }
}

const firstPath = (texts: ReadonlyMap<string, NamedText>): KeyPath | undefined =>
  texts.values().next().value?.path.slice(0, -1)

const buildEnv = (context: LaunchContext, { env, fields }: ServerEntry): Pick<StdioLaunch, "env" | "allowEnv"> => {
  const { enabled, report } = context
  const resolve = valueResolver(context)
  const variables = [...env.values()]
  const allowed = readAllowed(report, resolver(context), enabled ? variables : undefined, itemsOf(fields.allowEnv))
  checkVariables(report, variables, enabled ? allowed : undefined)
  return {
    env: Object.fromEntries(variables.map((item) => [item.name, resolve(item).text])),
    ...(allowed.length > 0 && { allowEnv: allowed })
  }
}

const buildStdio = (context: LaunchContext, entry: ServerEntry): StdioLaunch | undefined => {
  const { report, surroundings } = context
  const { args, command, cwd } = entry.fields
  const resolve = resolver(context)
  warnOfIdleKeys(context, "stdio", [
    ["url", entry.fields.url?.path],
    ["allowPrivate", entry.fields.allowPrivate?.path],
    ["headers", firstPath(entry.headers)],
    ["auth", entry.fields.auth?.path]
  ])
  const environment = buildEnv(context, entry)
  const where = cwd === undefined ? undefined : resolve(cwd)
  const program = command === undefined ? undefined : resolve(command)
  const resolveValue = valueResolver(context)
  const resolvedArgs = itemsOf(args).map((argument, index, all) =>
    expandArgument(resolveValue({ ...argument, name: optionBefore(all, index) }).text, surroundings.home)
  )
  for (const each of [where, program]) if (each !== undefined) refuseSecret(report, each)
  if (program === undefined && !entry.sound) return undefined
  if (program === undefined || program.text.trim() === "") {
    report.error(
      program?.path ?? entry.path,
      entry.fields.transport?.value === "stdio"
        ? 'transport "stdio" needs a "command"'
        : 'needs a "command" (stdio) or a "url" (http)'
    )
    return undefined
  }
  warnOfSpaces(report, program)
  warnOfLoader(context, program, entry.fields.sandbox)
  const directory = where === undefined || where.text === "" ? undefined : expandDirectory(where.text, surroundings)
  return {
    kind: "stdio",
    command: expandCommand(program.text, directory, surroundings),
    args: resolvedArgs,
    ...environment,
    cwd: directory
  }
}

const buildHeaders = (context: LaunchContext, headers: ReadonlyMap<string, NamedText>): HttpLaunch["headers"] => {
  const resolve = valueResolver(context)
  return Object.fromEntries(
    [...headers.values()].map((item) => {
      const { text } = resolve(item)
      if (!HEADER_NAME.test(item.name) || item.name === "__proto__") {
        context.report.error(item.path, "is not a valid header name")
      }
      if (NOT_IN_HEADER.test(text)) {
        context.report.error(item.path, "contains a character that a header cannot carry, such as a line break")
      }
      return [item.name, text]
    })
  )
}

/** Warns of what the connection would refuse, as far as the URL alone shows it. A reference may stand for any part of it. */
const warnOfUnreachable = ({ report }: LaunchContext, { complete, path, text }: Resolved, allowPrivate: boolean) => {
  const url = complete && !text.includes(SECRET_SCHEME) ? URL.parse(text) : null
  if (url === null || !/^https?:$/.test(url.protocol)) return
  const forbidden = forbiddenHost(ownReach({ url, allowPrivate }), url)
  if (forbidden === undefined) return
  const { leadsTo, openable } = blockedWords(forbidden)
  const advice = openable ? ': "allowPrivate": true would allow it' : forbidden === "plaintext" ? ": use https://" : ""
  report.warn(path, `will not be connected to, it leads to ${leadsTo}${advice}`)
}

const buildHttp = (context: LaunchContext, kind: HttpLaunch["kind"], entry: ServerEntry): HttpLaunch | undefined => {
  const { args, command, cwd, url } = entry.fields
  warnOfIdleKeys(context, kind, [
    ["command", command?.path],
    ["args", args?.path],
    ["cwd", cwd?.path],
    ["env", firstPath(entry.env)],
    ["allowEnv", entry.fields.allowEnv?.path]
  ])
  const { sandbox } = entry.fields
  if (context.enabled && sandbox !== undefined && sandbox.value !== false) {
    context.report.error(sandbox.path, "is for stdio servers only: a server with a URL runs elsewhere")
  }
  const headers = buildHeaders(context, entry.headers)
  const { auth } = entry.fields
  const authorization =
    auth === undefined ? undefined : buildAuth(context.report, context.surroundings.env, context.enabled, auth.value)
  if (url === undefined) {
    if (entry.sound) context.report.error(entry.path, `transport "${kind}" needs a "url"`)
    return undefined
  }
  const address = resolver(context)(url)
  checkUrl(context.report, address)
  if (context.enabled) {
    refuseMaskedUrl(context.report, address)
    warnOfUnreachable(context, address, entry.fields.allowPrivate?.value ?? false)
  }
  if (auth !== undefined && entry.headers.has("authorization")) {
    context.report.error(auth.path, 'cannot be combined with the header "Authorization": keep one')
  }
  return { kind, url: address.text, headers, ...(authorization === undefined ? {} : { auth: authorization }) }
}

const isNetworked = (sandbox: boolean | { readonly network?: boolean }): boolean =>
  typeof sandbox === "object" && sandbox.network === true

const warnOfLoader = (
  { enabled, report }: LaunchContext,
  { text }: Resolved,
  sandbox: ServerEntry["fields"]["sandbox"]
): void => {
  if (!enabled || sandbox === undefined || sandbox.value === false) return
  const program = text.split(/[\\/]/).at(-1)!
  if (isNetworked(sandbox.value) || fetcherOf(text, []) === undefined) return
  report.warn(
    sandbox.path,
    `has no network, which "${program}" needs to download what it runs: install the server and name its own command, or set "network": true`
  )
}

/** The paths of a sandbox are resolved like other paths: variables, the home directory, relative to the configuration. */
export const buildSandbox = (
  { enabled, report, surroundings }: LaunchContext,
  located: ServerEntry["fields"]["sandbox"]
): false | SandboxOptions | undefined => {
  if (located === undefined || located.value === false) return located && false
  const { filesystem = {}, network = false } = located.value === true ? {} : located.value
  const paths = (key: "read" | "write") =>
    itemsOf({ path: [...located.path, "filesystem", key], value: filesystem[key] ?? [] }).map((entry) => {
      const resolved = resolveText(report, surroundings.env, enabled, entry)
      refuseSecret(report, resolved)
      const path = expandDirectory(resolved.text, surroundings)
      if (enabled && resolved.complete && surroundings.isThere?.(path) === false) {
        report.warn(resolved.path, "names a path that does not exist: the server cannot start without it")
      }
      return path
    })
  return { filesystem: { read: paths("read"), write: paths("write") }, network }
}

export const buildLaunch = (context: LaunchContext, entry: ServerEntry): Launch | undefined => {
  const kind = chooseTransport(context, entry)
  return kind === "stdio" ? buildStdio(context, entry) : buildHttp(context, kind, entry)
}
