/** Decodes a text as a file would be decoded, and gives problems as the lines that an operator reads. */
import { assert } from "@effect/vitest"
import * as Result from "effect/Result"
import { parseConfigText } from "../../../src/schemas/config/ConfigText.ts"
import { decodeConfig } from "../../../src/schemas/config/DecodeConfig.ts"
import { noLines } from "../../../src/schemas/config/KeyLines.ts"
import type { GatewayConfig } from "../../../src/schemas/config/GatewayConfig.ts"
import { type ConfigIssue, formatIssue } from "../../../src/schemas/config/ConfigIssue.ts"
import type { HttpLaunch, ServerConfig, StdioLaunch } from "../../../src/schemas/connection/ServerConfig.ts"

type Env = Readonly<Record<string, string | undefined>>

const OPENCLAWS = "/etc/gateway/openclaw.json"

const run = (text: string, env: Env, file = OPENCLAWS) => {
  const parsed = Result.getOrThrow(parseConfigText(text))
  return decodeConfig(parsed.value, {
    file,
    shownFile: "openclaw.json",
    lines: parsed.lines,
    directory: "/etc/gateway",
    home: "/home/ada",
    env
  })
}

export const decode = (text: string, env: Env = {}, file?: string): GatewayConfig => {
  const result = run(text, env, file)
  if (Result.isFailure(result)) assert.fail(result.failure.issues.map(formatIssue).join("\n"))
  return result.success
}

/** What `validate` tells: the errors of all, or the faults of single servers. */
export const errorsOf = (text: string, env: Env = {}): ReadonlyArray<string> =>
  Result.match(run(text, env), {
    onFailure: ({ issues }) => issues,
    onSuccess: ({ faults = [] }) => faults
  }).map(formatIssue)

export const warningsOf = (text: string, env: Env = {}, file?: string): ReadonlyArray<string> =>
  decode(text, env, file).warnings.map(formatIssue)

/** A value that never was a text; problems and warnings without a file. */
export const decodeValue = (
  value: unknown,
  given: { readonly foreignProviders?: boolean }
): { readonly errors: ReadonlyArray<string>; readonly warnings: ReadonlyArray<string> } => {
  const shown = ({ message, path }: ConfigIssue) => `${path}: ${message}`
  const context = { file: "", shownFile: "", lines: noLines, directory: "/", home: "/", env: {}, ...given }
  return Result.match(decodeConfig(value, context), {
    onFailure: ({ issues, warnings }) => ({ errors: issues.map(shown), warnings: warnings.map(shown) }),
    onSuccess: ({ faults = [], warnings }) => ({ errors: faults.map(shown), warnings: warnings.map(shown) })
  })
}

/** A configuration with one server, `x`, whose entry is the given text. */
export const withServer = (entry: string): string => `{ mcp: { servers: { x: ${entry} } } }`

export const serverOf = (config: GatewayConfig, name = "x", agent = config.defaultAgent): ServerConfig => {
  const found = config.agents.find(({ id }) => id === agent)?.servers.find((server) => server.name === name)
  assert.isDefined(found)
  return found
}

export const stdioOf = (server: ServerConfig): StdioLaunch => {
  assert(server.launch.kind === "stdio")
  return server.launch
}

export const httpOf = (server: ServerConfig): HttpLaunch => {
  assert(server.launch.kind !== "stdio")
  return server.launch
}

/** The errors for one server entry, without file, line and the path to the entry. */
export const entryErrors = (entry: string, env: Env = {}): ReadonlyArray<string> =>
  errorsOf(withServer(entry), env).map((line) => line.replace("openclaw.json:1: mcp.servers.x", "x"))

export const entryWarnings = (entry: string, env: Env = {}): ReadonlyArray<string> =>
  warningsOf(withServer(entry), env).map((line) => line.replace("openclaw.json:1: mcp.servers.x", "x"))
