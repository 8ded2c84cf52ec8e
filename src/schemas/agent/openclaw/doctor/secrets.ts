/** Findings about credentials and references in the entry of a server. Values are checked but never shown. */
import { isObject } from "../../../data/Json.ts"
import type { DoctorFinding, Find, NativeServer } from "./report.ts"
import { ofAddress, ofArgument, ofHeader, ofVariable } from "../NativeCredentials.ts"
import type { PluginState } from "./plugin.ts"
import { behindExec } from "./execTarget.ts"
import { membersAt, textAt, textsAt } from "./read.ts"

interface Place {
  readonly keys: ReadonlyArray<string>
  readonly value: unknown
  /** Whether it is a plain-text credential. */
  readonly isPlain: boolean
}

const placesOf = ({ entry }: NativeServer): ReadonlyArray<Place> => {
  const args = textsAt(entry, ["args"])
  const url = textAt(entry, ["url"])
  return [
    ...membersAt(entry, ["env"]).map(([key, value]): Place => ({
      keys: ["env", key],
      value,
      isPlain: ofVariable(key, value).length > 0
    })),
    ...membersAt(entry, ["headers"]).map(([key, value]): Place => ({
      keys: ["headers", key],
      value,
      isPlain: ofHeader(key, value).length > 0
    })),
    ...args.map((value, i): Place => ({ keys: ["args", String(i)], value, isPlain: ofArgument(args, i).length > 0 })),
    ...(url === undefined ? [] : [{ keys: ["url"], value: url, isPlain: ofAddress(url).length > 0 }])
  ]
}

const REFERENCE = /secret:\/\//i

export const aboutSecrets = (server: NativeServer, { connections, enabled }: PluginState, find: Find) => {
  const behind = behindExec(textAt(server.entry, ["command"]) ?? "", textsAt(server.entry, ["args"]))
  const isExec = ([section, i]: ReadonlyArray<string>) =>
    behind !== undefined &&
    server.transport === "stdio" &&
    (section === "env" || (section === "args" && Number(i) >= behind.before))
  const isResolved = (keys: ReadonlyArray<string>) =>
    enabled && connections.has(server.name) && (keys[0] === "url" || keys[0] === "headers")
  const how =
    server.transport === "stdio"
      ? "Resolves secret:// for servers under its own agents.*.mcp, just before it starts them. Without it, mcp-live exec does: see the lines to add."
      : "Resolves secret:// in native.connections, for senders that OpenClaw can name, and for servers under its own agents.*.mcp."
  return placesOf(server).flatMap(({ isPlain, keys, value }): ReadonlyArray<DoctorFinding> => {
    if (isResolved(keys)) return []
    if (typeof value === "string" && REFERENCE.test(value)) {
      if (isExec(keys)) return []
      return [
        find(
          "secret-reference",
          "high",
          "OpenClaw does not resolve secret:// references: the server gets the text itself.",
          how,
          ...keys
        )
      ]
    }
    if (isPlain) {
      return [find("plaintext-secret", "high", "The configuration contains a credential as plain text.", how, ...keys)]
    }
    return isObject(value)
      ? [
          find(
            "secret-object",
            "medium",
            "OpenClaw accepts no secret objects here, and rejects the configuration.",
            how,
            ...keys
          )
        ]
      : []
  })
}
