/** The servers of one agent as a configuration writes them: merged, with canonical keys, but with variables and references unresolved. */
import { isObject } from "../../data/Json.ts"
import { readAgents } from "../AgentEntries.ts"
import type { AuthEntry } from "../AuthEntry.ts"
import { member } from "../Fields.ts"
import { noLines } from "../KeyLines.ts"
import type { Located, NamedText } from "../KeyPath.ts"
import { makeReport } from "../Report.ts"
import { mergeServers, readMcp, sharedServers } from "../ServerEntries.ts"
import type { ServerEntry } from "../ServerEntry.ts"
import { GROUPS } from "../ServerParts.ts"
import type { ClientContext } from "./ClientServer.ts"
import type { Entry } from "./ImportPlan.ts"
import { readClientFile } from "./ReadClient.ts"
import { recognise } from "./Recognise.ts"

const valueOf = (located: unknown): unknown => (located as Located<unknown>).value

const plainAuth = ({ dpop, enterprise, redirectPort, scopes, texts }: AuthEntry): Entry => ({
  type: "oauth",
  ...Object.fromEntries(Object.entries(texts).map(([key, located]) => [key, valueOf(located)])),
  ...(scopes !== undefined && { scopes: scopes.map(({ value }) => value) }),
  ...(redirectPort !== undefined && { redirectPort }),
  ...(dpop !== undefined && { dpop }),
  ...(enterprise !== undefined && {
    enterprise: Object.fromEntries(Object.entries(enterprise).map(([key, located]) => [key, valueOf(located)]))
  })
})

const plainField = (key: string, located: unknown): unknown => {
  if (key === "auth") return plainAuth(valueOf(located) as AuthEntry)
  if (!Object.hasOwn(GROUPS, key)) return valueOf(located)
  return Object.fromEntries(Object.entries(located as object).map(([inner, one]) => [inner, valueOf(one)]))
}

const named = (texts: Iterable<NamedText>): Readonly<Record<string, string>> | undefined => {
  const entries = [...texts].map(({ name, value }) => [name, value] as const)
  return entries.length === 0 ? undefined : Object.fromEntries(entries)
}

const plain = ({ ask, env, fields, headers }: ServerEntry): Entry => {
  const written = Object.fromEntries(Object.entries(fields).map(([key, located]) => [key, plainField(key, located)]))
  const [variables, sent] = [named(env.values()), named(headers.values())]
  return {
    ...written,
    ...(ask !== undefined && { tools: { ...(written["tools"] as Entry), ask: ask.map(({ value }) => value) } }),
    ...(variables !== undefined && { env: variables }),
    ...(sent !== undefined && { headers: sent })
  }
}

/** The configuration has been checked before. `file` tells whose it is. */
export const ourServers = (
  root: unknown,
  agent: string,
  file: string,
  context: ClientContext
): ReadonlyMap<string, Entry> => {
  if (!isObject(root)) return new Map()
  const client = recognise(file, root)
  if (client !== undefined && client !== "openclaw") {
    return new Map(readClientFile(client, root, context).servers.map(({ entry, name }) => [name, entry]))
  }
  const report = makeReport("", noLines)
  const mcp = readMcp(report, ["mcp"], member(root, "mcp"), "top")
  const { agents, defaults } = readAgents(report, member(root, "agents"))
  const own = agents.find(({ id }) => id === agent)
  const merged = mergeServers([sharedServers(report, root, mcp), defaults.mcp.servers, own?.mcp.servers ?? new Map()])
  return new Map([...merged].map(([name, entry]) => [name, plain(entry)]))
}
