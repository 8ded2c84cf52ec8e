/** Credentials and references in the entry of a server. Values are looked at, and never given out. */
import { soundsLikeCredential } from "../../CredentialNames.ts"
import { isObject } from "../../Json.ts"
import { credentialsOf } from "../../LaunchCredentials.ts"
import type { Launch } from "../../ServerConfig.ts"
import type { DoctorFinding } from "../Doctor.ts"
import type { PluginState } from "./plugin.ts"
import { membersAt, textAt, textsAt } from "./read.ts"
import type { Find, NativeServer } from "./servers.ts"

interface Place {
  readonly keys: ReadonlyArray<string>
  readonly value: unknown
  /** Whether a credential stands there as it is. */
  readonly isPlain: boolean
}

const stdio = (env: Record<string, string>, args: ReadonlyArray<string> = []): Launch => ({
  kind: "stdio",
  command: "",
  args,
  env,
  cwd: undefined
})
const remote = (url: string, headers: Record<string, string> = {}): Launch => ({ kind: "http", url, headers })
const holds = (launch: Launch) => credentialsOf(launch).length > 0

const FLAG = /^--?([A-Za-z][\w-]*)(?:=(.*))?$/s

/** `--api-key=…`, `--api-key …`, and addresses with a password in them. */
const isPlainArgument = (args: ReadonlyArray<string>, i: number): boolean => {
  const arg = args[i]!
  const [, name = "", value] = FLAG.exec(arg) ?? []
  if (value !== undefined && soundsLikeCredential(name) && holds(stdio({ [name]: value }))) return true
  const [, before = "", given] = FLAG.exec(args[i - 1] ?? "") ?? []
  const isValue = given === undefined && soundsLikeCredential(before) && !arg.startsWith("-")
  return (isValue && holds(stdio({ [before]: arg }))) || holds(stdio({}, [arg]))
}

const placesOf = ({ entry }: NativeServer): ReadonlyArray<Place> => {
  const args = textsAt(entry, ["args"])
  const url = textAt(entry, ["url"])
  return [
    ...membersAt(entry, ["env"]).map(([key, value]): Place => ({
      keys: ["env", key],
      value,
      isPlain: typeof value === "string" && holds(stdio({ [key]: value }))
    })),
    ...membersAt(entry, ["headers"]).map(([key, value]): Place => ({
      keys: ["headers", key],
      value,
      isPlain: typeof value === "string" && holds(remote("https://x.invalid", { [key]: value }))
    })),
    ...args.map((value, i): Place => ({ keys: ["args", String(i)], value, isPlain: isPlainArgument(args, i) })),
    ...(url === undefined ? [] : [{ keys: ["url"], value: url, isPlain: holds(remote(url)) }])
  ]
}

const REFERENCE = /secret:\/\//i

export const aboutSecrets = (server: NativeServer, { connections, enabled }: PluginState, find: Find) => {
  const isResolved = (keys: ReadonlyArray<string>) =>
    enabled && connections.has(server.name) && (keys[0] === "url" || keys[0] === "headers")
  const how =
    server.transport === "stdio"
      ? "Resolves secret:// for servers under its own agents.*.mcp, just before it starts them."
      : "Resolves secret:// in native.connections, for senders that OpenClaw can name, and for servers under its own agents.*.mcp."
  return placesOf(server).flatMap(({ isPlain, keys, value }): ReadonlyArray<DoctorFinding> => {
    if (isResolved(keys)) return []
    if (typeof value === "string" && REFERENCE.test(value)) {
      return [
        find(
          "secret-reference",
          "high",
          "secret:// is no reference for OpenClaw: the server is given the text itself.",
          how,
          ...keys
        )
      ]
    }
    if (isPlain) {
      return [find("plaintext-secret", "high", "A credential stands in the configuration as it is.", how, ...keys)]
    }
    return isObject(value)
      ? [
          find(
            "secret-object",
            "medium",
            "OpenClaw takes no secret objects here, and rejects the configuration.",
            how,
            ...keys
          )
        ]
      : []
  })
}
