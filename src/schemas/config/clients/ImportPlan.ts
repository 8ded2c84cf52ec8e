/**
 * Decides what an import does: which servers it takes, under which names, and which are there already. Pure. Servers that are started
 * in the same way become one; of different ones with the same name, the first keeps it, and the others get the client's name behind it.
 */
import { basename, isAbsolute, resolve } from "node:path"
import { refusedVariable } from "../../connection/DangerousEnvironment.ts"
import { isObject } from "../../data/Json.ts"
import type { ConfigIssue } from "../ConfigIssue.ts"
import { member } from "../Fields.ts"
import { SECRET_SCHEME } from "../../secret/SecretReference.ts"
import type { ClientName } from "./ClientNames.ts"

export type Entry = Readonly<Record<string, unknown>>

/** A server in a file of a client. */
export interface FoundServer {
  readonly client: ClientName
  readonly name: string
  readonly entry: Entry
  readonly project?: string
  /** Its place, and what the person should know. */
  readonly file: string
  readonly line: number
  readonly remarks: ReadonlyArray<ConfigIssue>
}

export interface TakenServer extends FoundServer {
  /** In openclaw.json. */
  readonly as: string
  /** Other places that describe the same server. */
  readonly alsoIn: ReadonlyArray<FoundServer>
}

export interface ImportPlan {
  readonly take: ReadonlyArray<TakenServer>
  /** What openclaw.json has already, under this name. */
  readonly there: ReadonlyArray<FoundServer & { readonly as: string }>
}

const isReference = (value: unknown): boolean => typeof value === "string" && value.includes(SECRET_SCHEME)

/** Equal, where a reference in `known` may stand for a credential. */
const isSame = (known: unknown, other: unknown): boolean => {
  if (isReference(known) && typeof other === "string") return true
  if (Array.isArray(known)) {
    return Array.isArray(other) && known.length === other.length && known.every((one, i) => isSame(one, other[i]))
  }
  if (!isObject(known) || !isObject(other)) return known === other
  const keys = new Set([...Object.keys(known), ...Object.keys(other)])
  return [...keys].every((key) => isSame(member(known, key), member(other, key)))
}

/** What says how a server is started or reached. The other keys are the choice of the person who has it. */
const LAUNCH_KEYS = ["transport", "command", "args", "env", "cwd", "url", "headers", "auth"]

const launchOf = (entry: Entry): Entry => Object.fromEntries(LAUNCH_KEYS.map((key) => [key, entry[key]]))

const suffixed = function* ({ client, name, project }: FoundServer): Generator<string> {
  yield name
  const ending = project === undefined ? client : basename(project).replace(/[^\w.-]/g, "") || client
  yield `${name}-${ending}`
  for (let count = 2; ; count++) yield `${name}-${ending}-${count}`
}

export const planImport = (found: ReadonlyArray<FoundServer>, existing: ReadonlyMap<string, Entry>): ImportPlan => {
  const taken = new Map<string, TakenServer>()
  const there: Array<FoundServer & { readonly as: string }> = []
  for (const server of found) {
    for (const as of suffixed(server)) {
      const [known, other] = [existing.get(as), taken.get(as)]
      if (known !== undefined) {
        if (!isSame(launchOf(known), launchOf(server.entry))) continue
        there.push({ ...server, as })
      } else if (other === undefined) taken.set(as, { ...server, as, alsoIn: [] })
      else if (isSame(other.entry, server.entry)) taken.set(as, { ...other, alsoIn: [...other.alsoIn, server] })
      else continue
      break
    }
  }
  return { take: [...taken.values()], there }
}

const isRelative = (path: unknown): path is string =>
  typeof path === "string" && !isAbsolute(path) && !/^(?:~|\$\{|[A-Za-z]:[\\/])/.test(path)

/** Relative paths would count from openclaw.json; in a client they count from the folder in which it works. */
export const withFolder = (
  entry: Entry,
  folder: string
): { readonly entry: Entry; readonly moved: ReadonlyArray<string> } => {
  const { command, cwd } = entry
  const isPath = isRelative(command) && /[\\/]/.test(command) && cwd === undefined
  const paths = {
    ...(isRelative(cwd) && { cwd: resolve(folder, cwd) }),
    ...(isPath && { command: resolve(folder, command) })
  }
  return { entry: { ...entry, ...paths }, moved: Object.keys(paths) }
}

/** Variables that need permission get it, because the client had it; the names are for the person. */
export const allowVariables = (entry: Entry): { readonly entry: Entry; readonly allowed: ReadonlyArray<string> } => {
  const { allowEnv, env } = entry
  const before = Array.isArray(allowEnv) ? allowEnv.map(String) : []
  const names = isObject(env) ? Object.keys(env) : []
  const allowed = names.filter((name) => refusedVariable(name, before) !== undefined)
  return allowed.length === 0 ? { entry, allowed } : { entry: { ...entry, allowEnv: [...before, ...allowed] }, allowed }
}
