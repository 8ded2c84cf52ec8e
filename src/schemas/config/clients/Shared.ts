/** What several clients describe alike: transports, files of variables, tool filters. */
import { isAbsolute, join } from "node:path"
import { parseEnv } from "node:util"
import { isObject } from "../../data/Json.ts"
import { show } from "../Fields.ts"
import { expandHome } from "../Resolve.ts"
import { escapeReferences } from "../Interpolation.ts"
import type { ClientContext } from "./ClientServer.ts"
import type { Giving, Taking } from "./Format.ts"

type Transport = "stdio" | "http" | "sse"

/** The words for transports that clients use. */
const WORDS: Readonly<Record<string, Transport>> = {
  stdio: "stdio",
  local: "stdio",
  http: "http",
  remote: "http",
  "streamable-http": "http",
  streamableHttp: "http",
  streamable_http: "http",
  sse: "sse"
}

/** A word that only repeats what `command` or `url` says is not kept. */
export const takeTransport = ({ get, leave, put, see }: Taking, key: string, url = "url"): void => {
  const word = get(key)
  if (word === undefined || word === "auto") return
  if (typeof word !== "string") return put(["transport"], word, [key])
  const kind = Object.hasOwn(WORDS, word) ? WORDS[word] : undefined
  if (kind === undefined) return leave(`its type ${show(word)} is no transport that mcp-live has`, key)
  const isPlain = kind === "stdio" ? see(url) === undefined : kind === "http" && see("command") === undefined
  if (!isPlain) put(["transport"], kind, [key])
}

/** Writes the type where the client needs it, and where it is SSE. */
export const giveTransport = (
  { get, isRemote, put }: Giving,
  key: string,
  words: Readonly<Record<Transport, string>>,
  always: boolean
): void => {
  const given = get("transport")
  const kind = given === "sse" || given === "stdio" ? given : isRemote ? "http" : "stdio"
  if (always || kind === "sse") put(key, words[kind])
}

/** Variables of the entry itself win over those of the file. */
export const takeEnvFile = ({ get, put, remark, see }: Taking, { home, readText, workspace }: ClientContext): void => {
  const given = get("envFile")
  if (given === undefined) return
  if (typeof given !== "string") return remark(["envFile"], "must be a path")
  const named = given
    .replace(/\$\{(?:workspaceFolder|workspaceRoot|cwd)\}/g, () => workspace)
    .replace(/\$\{userHome\}/g, () => home)
  const path = expandHome(named, home)
  const file = isAbsolute(path) ? path : join(workspace, path)
  const text = readText(file)
  if (text === undefined)
    return remark(["envFile"], `names a file that cannot be read, ${file}: its variables are missing`)
  const own = see("env")
  const variables = Object.entries(parseEnv(text)).filter(([name]) => !isObject(own) || !Object.hasOwn(own, name))
  for (const [name, value] of variables) put(["env", name], escapeReferences(value ?? ""), ["envFile"])
  const count = variables.length === 1 ? "1 variable is" : `${variables.length} variables are`
  remark(["envFile"], `${count} taken from ${file} as it is now; later changes of it have no effect`)
}

const isList = (value: unknown): value is ReadonlyArray<unknown> => Array.isArray(value)

/** A list of the tools to offer. An empty one means that there are none, which is an exclusion with us. */
export const takeIncluded = ({ get, put }: Taking, key: string, emptyMeansAll = false): void => {
  const tools = get(key)
  if (tools === undefined || (isList(tools) && tools.length === 0 && emptyMeansAll)) return
  if (isList(tools) && tools.length === 0) put(["tools", "exclude"], ["*"], [key])
  else put(["tools", "include"], tools, [key])
}

/** Clients list exact names; our patterns cannot be written. */
export const giveTools = (
  { get, lose, put, see }: Giving,
  own: "include" | "exclude",
  key: string | undefined
): void => {
  const tools = see(`tools.${own}`)
  get(`tools.${own}`)
  if (tools === undefined) return
  const hasPattern = isList(tools) && tools.some((tool) => typeof tool === "string" && /[*?]/.test(tool))
  if (key === undefined) lose(`tools.${own}`)
  else if (hasPattern) lose(`tools.${own}`, "this client takes exact names only")
  else put(key, tools)
}

export const NOT_ASKED = "mcp-live asks before a call only where tools.ask says so"
