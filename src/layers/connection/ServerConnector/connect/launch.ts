/**
 * From a configured launch to one that can be started: secrets are resolved, the environment is composed, and everything is checked
 * that the platform would refuse with a message that quotes a value.
 */
import * as Effect from "effect/Effect"
import * as Redacted from "effect/Redacted"
import { knownCredentials } from "../../../../schemas/connection/LaunchCredentials.ts"
import { isMaskedText, isMaskedUrl } from "../../../../schemas/secret/MaskedText.ts"
import { InvalidLaunch, type SecretUnavailable, type SpawnFailed } from "../../../../schemas/connection/ConnectError.ts"
import { AddressBlocked } from "../../../../schemas/connection/HttpError.ts"
import { blockedWords, forbiddenHost, ownReach, type OwnAddress } from "../../../../schemas/connection/Reach.ts"
import { launchFor } from "../../../../schemas/connection/PersonPlaceholder.ts"
import { sandboxOf } from "../../../../schemas/connection/Sandbox.ts"
import {
  ownerOf,
  type HttpLaunch,
  type ServerConfig,
  type StdioLaunch
} from "../../../../schemas/connection/ServerConfig.ts"
import type { SecretResolver } from "../../../../services/secret/SecretResolver.ts"
import { invalidName, invalidValue, serverEnvironment, shownVariable, trustedFiles } from "./environment.ts"
import type { HttpSpec } from "../http/http.ts"
import type { ProcessSpec } from "../../../../system/process/process.ts"
import { inSandbox } from "../sandbox/sandbox.ts"
import type { Guarded } from "../sandbox/guarded.ts"

type Secrets = Pick<SecretResolver["Service"], "resolve" | "know">

const HEADER_NAME = /^[!#$%&'*+\-.^_`|~0-9A-Za-z]+$/

const reveal = (secrets: Secrets, owner: string, text: string) =>
  Effect.map(secrets.resolve(owner, text), Redacted.value)

const revealRecord = (secrets: Secrets, owner: string, record: Readonly<Record<string, string>>) =>
  Effect.forEach(
    Object.entries(record),
    ([key, text]) => Effect.map(reveal(secrets, owner, text), (value): [string, string] => [key, value]),
    { concurrency: "unbounded" }
  )

/** Credentials in plain text in the configuration are as secret as references, and belong to this server alone. */
const knowPlain = (secrets: Secrets, owner: string, config: Pick<ServerConfig, "launch" | "session">) =>
  Effect.forEach(knownCredentials(config), ({ guarded, value }) => secrets.know(owner, value, { guarded }), {
    discard: true
  })

/**
 * The configuration was checked when it was read. This check is for servers that came another way, and for resolved secrets:
 * somebody may have stored the mask that a display had shown.
 */
const isMask = (written: string | undefined, value: string, name = ""): boolean =>
  isMaskedText(value, written === value ? name : "secret")

const maskedIn = (place: string) => `${place} is a mask, not a value: it was written back from a display`

export const resolveStdio = Effect.fnUntraced(function* (
  config: ServerConfig,
  launch: StdioLaunch,
  secrets: Secrets,
  guarded?: Guarded
): Effect.fn.Return<ProcessSpec, SecretUnavailable | InvalidLaunch | SpawnFailed> {
  const { name: server } = config
  const { allowEnv, args, command, cwd, env } = launch
  const owner = ownerOf(config)
  const missing = unfilled(config)
  if (missing !== undefined) return yield* missing
  // Names first, so that no secret is resolved in vain.
  for (const name of Object.keys(env)) {
    const detail = invalidName(name, allowEnv)
    if (detail !== undefined) return yield* new InvalidLaunch({ server, detail })
  }
  const variables = yield* revealRecord(secrets, owner, env)
  for (const [key, value] of variables) {
    const detail = invalidValue(key, value) ?? (isMask(env[key], value, key) ? maskedIn(shownVariable(key)) : undefined)
    if (detail !== undefined) return yield* new InvalidLaunch({ server, detail })
  }
  const resolvedArgs = yield* Effect.forEach(args, (arg) => reveal(secrets, owner, arg))
  const masked = resolvedArgs.findIndex((arg, index) => isMask(args[index], arg))
  if (masked !== -1) return yield* new InvalidLaunch({ server, detail: maskedIn(`args[${masked}]`) })
  yield* knowPlain(secrets, owner, { launch, session: config.session })
  const sandbox = sandboxOf(config.sandbox)
  // A sandbox has its own /tmp.
  const { TMPDIR, ...others } = process.env
  const host = sandbox === undefined ? { ...others, TMPDIR } : others
  const spec = {
    command,
    args: resolvedArgs,
    env: serverEnvironment(host, Object.fromEntries(variables)),
    cwd
  }
  return sandbox === undefined
    ? spec
    : yield* inSandbox(server, sandbox, { ...spec, trusted: trustedFiles(process.env) }, guarded)
})

/** One that was made for nobody would get `{person}` itself. */
const unfilled = ({ isolate, launch, name: server }: ServerConfig): InvalidLaunch | undefined => {
  const problem = isolate === "person" ? launchFor(launch, undefined).problem : undefined
  return problem === undefined ? undefined : new InvalidLaunch({ server, detail: problem })
}

const PLAINTEXT =
  'its url is http://, which everybody on the way can read and change: use https:// (http:// is for this machine and, with "allowPrivate": true, for a private network)'

/** What is wrong with an address, as far as it can be known without a look-up. */
const refusedAddress = (
  server: string,
  { allowPrivate, denyLoopback, url }: OwnAddress
): InvalidLaunch | AddressBlocked | undefined => {
  if (url.username !== "" || url.password !== "") {
    return new InvalidLaunch({ server, detail: "its url holds a user name or a password: put them in headers" })
  }
  const forbidden = forbiddenHost(ownReach({ url, allowPrivate, denyLoopback }), url)
  if (forbidden === undefined) return undefined
  return forbidden === "plaintext"
    ? new InvalidLaunch({ server, detail: PLAINTEXT })
    : new AddressBlocked({ server, host: null, ...blockedWords(forbidden, { denyLoopback }) })
}

export const resolveHttp = Effect.fnUntraced(function* (
  config: ServerConfig,
  launch: HttpLaunch,
  secrets: Secrets
): Effect.fn.Return<HttpSpec, SecretUnavailable | InvalidLaunch | AddressBlocked> {
  const { allowPrivate, denyLoopback, name: server, timeout } = config
  const { headers, kind, url } = launch
  const owner = ownerOf(config)
  const missing = unfilled(config)
  if (missing !== undefined) return yield* missing
  if (sandboxOf(config.sandbox) !== undefined) {
    const detail = "a sandbox holds only stdio servers: what is reached over HTTP runs elsewhere"
    return yield* new InvalidLaunch({ server, detail })
  }
  const target = yield* reveal(secrets, owner, url)
  const parsed = URL.canParse(target) ? new URL(target) : undefined
  if (parsed === undefined || (parsed.protocol !== "http:" && parsed.protocol !== "https:")) {
    return yield* new InvalidLaunch({ server, detail: "its url is not a valid http or https address" })
  }
  const refused = refusedAddress(server, { url: parsed, allowPrivate, denyLoopback })
  if (refused !== undefined) return yield* refused
  if (isMaskedUrl(target)) return yield* new InvalidLaunch({ server, detail: maskedIn("its url") })
  const resolved = yield* revealRecord(secrets, owner, headers)
  for (const [key, value] of resolved) {
    if (!HEADER_NAME.test(key)) {
      return yield* new InvalidLaunch({ server, detail: `${JSON.stringify(key)} is not a valid name of a header` })
    }
    // Printable Latin-1 and tabs; a line break would start another header.
    if (!/^[\t\x20-\x7e\x80-\xff]*$/.test(value)) {
      return yield* new InvalidLaunch({ server, detail: `header ${key} holds a character that no header may hold` })
    }
    if (isMask(headers[key], value, key)) return yield* new InvalidLaunch({ server, detail: maskedIn(`header ${key}`) })
  }
  yield* knowPlain(secrets, owner, { launch, session: config.session })
  return { kind, url: parsed, headers: Object.fromEntries(resolved), timeoutMs: timeout, allowPrivate, denyLoopback }
})
