/**
 * How a server is started, as far as a person may see it: program, arguments, directory and sandbox, or the URL, and the
 * names of its variables and headers, never their values. What looks like a credential elsewhere is masked. One that was made for a person is
 * as its entry says: what is approved holds for everybody, and names nobody.
 */
import { optionIn } from "../../../schemas/config/Resolve.ts"
import { holdsCredential } from "../../../schemas/config/ServerCredentials.ts"
import type { JsonObject } from "../../../schemas/data/Json.ts"
import { credentialsOf } from "../../../schemas/connection/LaunchCredentials.ts"
import { sandboxOf } from "../../../schemas/connection/Sandbox.ts"
import type { ServerConfig } from "../../../schemas/connection/ServerConfig.ts"

const MASK = "[REDACTED]"

export const startedAs = (
  { launch: own, sandbox, written: launch = own }: Pick<ServerConfig, "launch" | "sandbox" | "written">,
  redact: (text: string) => string
): JsonObject => {
  const credentials = credentialsOf(launch).toSorted((one, other) => other.length - one.length)
  const shown = (text: string) =>
    redact(credentials.reduce((rest, credential) => rest.replaceAll(credential, MASK), text))
  const names = (given: Readonly<Record<string, string>>) => Object.keys(given).toSorted().map(shown)
  if (launch.kind !== "stdio") return { url: shown(launch.url), headers: names(launch.headers) }
  const kept = sandboxOf(sandbox)
  return {
    command: shown(launch.command),
    args: launch.args.map((arg, i) => (holdsCredential(optionIn(launch.args[i - 1] ?? ""), arg) ? MASK : shown(arg))),
    ...(launch.cwd === undefined ? {} : { cwd: shown(launch.cwd) }),
    ...(kept === undefined ? {} : { sandbox: JSON.parse(JSON.stringify(kept)) as JsonObject }),
    env: names(launch.env)
  }
}
