/**
 * Warns of `secret://env/NAME` where no variable NAME is set, so that it is told with its line before a server fails to
 * start for it. Only a warning: references are resolved just before a spawn or a connect, and the variable may be there by
 * then.
 */
import type { Launch } from "../ServerConfig.ts"
import { type Environment, interpolate } from "./Interpolation.ts"
import type { Located } from "./KeyPath.ts"
import type { Report } from "./Report.ts"
import type { ServerEntry } from "./ServerEntry.ts"

const VARIABLE_REFERENCE = /secret:\/\/env\/([A-Za-z_]\w*)(?![\w.~+=/#-])/g

const warn = (report: Report, env: Environment, { path, value }: Located<string>, consequence: string): void => {
  for (const [reference, name] of interpolate(value, env).text.matchAll(VARIABLE_REFERENCE)) {
    if (Object.hasOwn(env, name!) && env[name!] !== undefined) continue
    report.warn(path, `environment variable ${name} is not set: ${consequence} ${reference}`)
  }
}

export const warnOfServerVariables = (
  report: Report,
  env: Environment,
  server: string,
  kind: Launch["kind"],
  entry: ServerEntry
): void => {
  const { args, url } = entry.fields
  const texts: ReadonlyArray<Located<string>> =
    kind === "stdio"
      ? [...entry.env.values(), ...(args?.value ?? [])]
      : [...entry.headers.values(), ...(url === undefined ? [] : [url])]
  for (const text of texts) warn(report, env, text, `MCP server '${server}' cannot start without`)
}

export const warnOfModelVariable = (report: Report, env: Environment, apiKey: Located<string>): void =>
  warn(report, env, apiKey, "the model cannot be used without")
