/**
 * From a configured launch to one that can be started: secrets resolved, environment composed, everything checked that
 * the platform would refuse with a message that quotes the value.
 */
import * as Effect from "effect/Effect"
import * as Redacted from "effect/Redacted"
import { AddressBlocked, InvalidLaunch, type SecretUnavailable, type SpawnFailed } from "../../schemas/McpError.ts"
import { sandboxOf } from "../../schemas/Sandbox.ts"
import { blockedWords, forbiddenHost, ownReach } from "../../schemas/Reach.ts"
import type { HttpLaunch, ServerConfig, StdioLaunch } from "../../schemas/ServerConfig.ts"
import type { SecretResolver } from "../../services/SecretResolver.ts"
import { invalidVariable, serverEnvironment } from "./environment.ts"
import type { HttpSpec } from "./http.ts"
import type { ProcessSpec } from "./process.ts"
import { inSandbox } from "./sandbox.ts"

type Resolve = SecretResolver["Service"]["resolve"]

const HEADER_NAME = /^[!#$%&'*+\-.^_`|~0-9A-Za-z]+$/

const reveal = (resolve: Resolve, owner: string, text: string) => Effect.map(resolve(owner, text), Redacted.value)

const revealRecord = (resolve: Resolve, owner: string, record: Readonly<Record<string, string>>) =>
  Effect.forEach(Object.entries(record), ([key, text]) =>
    Effect.map(reveal(resolve, owner, text), (value): [string, string] => [key, value])
  )

export const resolveStdio = Effect.fnUntraced(function* (
  { name: server, sandbox: choice }: ServerConfig,
  { args, command, cwd, env }: StdioLaunch,
  resolve: Resolve
): Effect.fn.Return<ProcessSpec, SecretUnavailable | InvalidLaunch | SpawnFailed> {
  const variables = yield* revealRecord(resolve, server, env)
  for (const [key, value] of variables) {
    const detail = invalidVariable(key, value)
    if (detail !== undefined) return yield* new InvalidLaunch({ server, detail })
  }
  const sandbox = sandboxOf(choice)
  // A sandbox has a /tmp of its own, and nothing of the host's.
  const { TMPDIR, ...others } = process.env
  const host = sandbox === undefined ? { ...others, TMPDIR } : others
  const spec = {
    command,
    args: yield* Effect.forEach(args, (arg) => reveal(resolve, server, arg)),
    env: serverEnvironment(host, Object.fromEntries(variables)),
    cwd
  }
  return sandbox === undefined ? spec : yield* inSandbox(server, sandbox, spec)
})

const PLAINTEXT =
  'its url is http://, which everybody on the way can read and change: use https:// (http:// is for this machine and, with "allowPrivate": true, for a private network)'

/** What can be told of an address before anything is looked up. */
const refusedAddress = (
  server: string,
  url: URL,
  allowPrivate: boolean
): InvalidLaunch | AddressBlocked | undefined => {
  if (url.username !== "" || url.password !== "") {
    return new InvalidLaunch({ server, detail: "its url holds a user name or a password: put them in headers" })
  }
  const forbidden = forbiddenHost(ownReach({ url, allowPrivate }), url)
  if (forbidden === undefined) return undefined
  return forbidden === "plaintext"
    ? new InvalidLaunch({ server, detail: PLAINTEXT })
    : new AddressBlocked({ server, host: null, ...blockedWords(forbidden) })
}

export const resolveHttp = Effect.fnUntraced(function* (
  { allowPrivate, name: server, sandbox, timeout }: ServerConfig,
  { headers, kind, url }: HttpLaunch,
  resolve: Resolve
): Effect.fn.Return<HttpSpec, SecretUnavailable | InvalidLaunch | AddressBlocked> {
  if (sandboxOf(sandbox) !== undefined) {
    const detail = "a sandbox holds only stdio servers: what is reached over HTTP runs elsewhere"
    return yield* new InvalidLaunch({ server, detail })
  }
  const target = yield* reveal(resolve, server, url)
  const parsed = URL.canParse(target) ? new URL(target) : undefined
  if (parsed === undefined || (parsed.protocol !== "http:" && parsed.protocol !== "https:")) {
    return yield* new InvalidLaunch({ server, detail: "its url is not a valid http or https address" })
  }
  const refused = refusedAddress(server, parsed, allowPrivate)
  if (refused !== undefined) return yield* refused
  const resolved = yield* revealRecord(resolve, server, headers)
  for (const [key, value] of resolved) {
    if (!HEADER_NAME.test(key)) {
      return yield* new InvalidLaunch({ server, detail: `${JSON.stringify(key)} is no name for a header` })
    }
    // Printable Latin-1 and tabs; a line break would start another header.
    if (!/^[\t\x20-\x7e\x80-\xff]*$/.test(value)) {
      return yield* new InvalidLaunch({ server, detail: `header ${key} holds a character that no header may hold` })
    }
  }
  return { kind, url: parsed, headers: Object.fromEntries(resolved), timeoutMs: timeout, allowPrivate }
})
