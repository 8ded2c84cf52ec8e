/** Finds plain-text credentials in the entries of OpenClaw's own servers. Pure and linear. */
import { soundsLikeCredential } from "../../secret/CredentialNames.ts"
import { isObject } from "../../data/Json.ts"
import { credentialsOf } from "../../connection/LaunchCredentials.ts"
import { at, membersAt, textAt, textsAt } from "./doctor/read.ts"

const none = { kind: "stdio", command: "", args: [], env: {}, cwd: undefined } as const

export const ofVariable = (name: string, value: unknown): ReadonlyArray<string> =>
  typeof value === "string" ? credentialsOf({ ...none, env: { [name]: value } }) : []

export const ofHeader = (name: string, value: unknown): ReadonlyArray<string> =>
  typeof value === "string" ? credentialsOf({ kind: "http", url: "https://localhost", headers: { [name]: value } }) : []

export const ofAddress = (url: string): ReadonlyArray<string> => credentialsOf({ kind: "http", url, headers: {} })

const FLAG = /^--?([A-Za-z][\w-]*)(?:=(.*))?$/s

/** `--api-key=…`, the argument after `--api-key`, and URLs with a password. */
export const ofArgument = (args: ReadonlyArray<string>, i: number): ReadonlyArray<string> => {
  const arg = args[i]!
  const [, name = "", value] = FLAG.exec(arg) ?? []
  const [, before = "", given] = FLAG.exec(args[i - 1] ?? "") ?? []
  const isValue = given === undefined && soundsLikeCredential(before) && !arg.startsWith("-")
  return [
    ...(value !== undefined && soundsLikeCredential(name) ? ofVariable(name, value) : []),
    ...(isValue ? ofVariable(before, arg) : []),
    ...credentialsOf({ ...none, args: [arg] })
  ]
}

const ofEntry = (entry: unknown): ReadonlyArray<string> => {
  const args = textsAt(entry, ["args"])
  return [
    ...membersAt(entry, ["env"]).flatMap(([name, value]) => ofVariable(name, value)),
    ...membersAt(entry, ["headers"]).flatMap(([name, value]) => ofHeader(name, value)),
    ...args.flatMap((_, i) => ofArgument(args, i)),
    ...ofAddress(textAt(entry, ["url"]) ?? "")
  ]
}

/** Those of all servers, in a configuration whose `${VAR}` OpenClaw has expanded. */
export const nativeCredentials = (config: unknown): ReadonlyArray<string> => {
  const servers = at(config, ["mcp", "servers"])
  return isObject(servers) ? [...new Set(Object.values(servers).flatMap(ofEntry))] : []
}
