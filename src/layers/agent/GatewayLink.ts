/**
 * The link to an OpenClaw gateway over a WebSocket. Its token is resolved just before each connection and sent only to the
 * URL that the operator wrote: in plain text only on this machine, or where that was allowed. Errors of the gateway are
 * cleaned. As a node we approve our own device, and no other, through the operator's connection.
 */
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Redacted from "effect/Redacted"
import * as Result from "effect/Result"
import type * as Schedule from "effect/Schedule"
import { createHash } from "node:crypto"
import { dataDirectory } from "../../schemas/config/DataDirectory.ts"
import { GATEWAY_CONNECT_MS, GATEWAY_FRAME_MAX_BYTES, GATEWAY_PAIRINGS_MAX } from "../../schemas/defaults/Gateway.ts"
import { SECRET_FILE_MAX_BYTES } from "../../schemas/defaults/Secrets.ts"
import { placeOf, readGatewayUrl, type GatewayAddress } from "../../schemas/agent/GatewayAddress.ts"
import { AWAY_ADVICE, GatewayError } from "../../schemas/agent/GatewayError.ts"
import { GATEWAY_PROTOCOL, pendingOf } from "../../schemas/agent/GatewayFrames.ts"
import { VERSION } from "../../schemas/data/Version.ts"
import { ContentSanitizer } from "../../services/content/ContentSanitizer.ts"
import { GatewayLink, type NodeDescription } from "../../services/agent/GatewayLink.ts"
import { NetworkGuard } from "../../services/connection/NetworkGuard.ts"
import { GATEWAY_OWNER, SecretResolver } from "../../services/secret/SecretResolver.ts"
import { codeOf, NotOurs } from "../../system/ownFiles.ts"
import { readSecret } from "../../system/secretFiles.ts"
import { connect } from "./GatewayLink/connection.ts"
import { downloadFrom } from "./GatewayLink/download.ts"
import { nodeDevice, operatorDevice, type Device } from "./GatewayLink/device.ts"
import type { Ended } from "./GatewayLink/ended.ts"
import { makeLink } from "./GatewayLink/link.ts"

export interface Options extends GatewayAddress {
  /** The data directory. Default: `$MCP_LIVE_HOME`, else `~/.mcp-live`. */
  readonly directory?: string | undefined
  /** The pauses between attempts to connect. */
  readonly pauses?: Schedule.Schedule<unknown> | undefined
  readonly connectTimeoutMs?: number | undefined
}

/** How we introduce ourselves; the gateway has a fixed list of clients. */
interface Role {
  readonly role: "operator" | "node"
  readonly clientId: string
  readonly mode: string
  readonly scopes: ReadonlyArray<string>
  readonly caps: ReadonlyArray<string>
  readonly commands?: ReadonlyArray<string>
  readonly displayName?: string
  readonly device: Device | undefined
}

const OPERATOR = {
  role: "operator",
  clientId: "gateway-client",
  mode: "backend",
  scopes: ["operator.read", "operator.write", "operator.admin"],
  // Without it, no events about tools are sent.
  caps: ["tool-events"]
} as const

const ID_CHARS = 16

const passing = (error: GatewayError): Ended => ({ kind: "passing", error, retryAfterMs: 0 })

const REASONS: Readonly<Record<string, string>> = {
  ENOENT: "there is no such file",
  EACCES: "this user may not read it",
  EPERM: "this user may not read it",
  ENOTDIR: "a part of its path is not a directory"
}

/** Never contains the file's content. */
const whyUnreadable = (error: unknown): string => {
  if (error instanceof NotOurs) return error.message
  const code = codeOf(error) ?? "an unknown error"
  const reason = REASONS[code]
  return reason === undefined ? code : `${reason} (${code})`
}

const NO_TOKEN =
  "no token is configured for it: name a file with the token (--token-file), or set gateway.remote.token or the variable OPENCLAW_GATEWAY_TOKEN"

/** Where a refused token comes from, and what to do about it. */
const tokenAdviceFor = ({ token, tokenFile, tokenFrom }: Options): string => {
  if (tokenFile !== undefined) {
    return `the token is from the file ${JSON.stringify(tokenFile)}: put the one of the gateway's gateway.auth.token into it, and send a message again`
  }
  return token === undefined
    ? NO_TOKEN
    : `the token is from ${tokenFrom ?? "the configuration"}: put the one of the gateway's gateway.auth.token there, and start this program again`
}

const readTokenFile = async (path: string): Promise<string> => {
  const found = await readSecret(path, SECRET_FILE_MAX_BYTES)
  if (found === undefined) throw Object.assign(new Error("ENOENT"), { code: "ENOENT" })
  return found.text.trim()
}

const make = Effect.fnUntraced(function* (options: Options) {
  const guard = yield* NetworkGuard
  const sanitizer = yield* ContentSanitizer
  const secrets = yield* SecretResolver
  const { connectTimeoutMs = GATEWAY_CONNECT_MS, directory = dataDirectory(), pauses } = options
  const address = readGatewayUrl(options)
  if (Result.isFailure(address)) {
    return yield* new GatewayError({
      code: "LINK_REFUSED",
      detail: `the OpenClaw gateway cannot be used: ${address.failure}`
    })
  }
  const { local, own, url } = address.success
  const shown = `${url.protocol}//${url.host}`
  const id = createHash("sha256").update(placeOf(options)).digest("hex").slice(0, ID_CHARS)

  const refused = (detail: string): Ended => ({
    kind: "refused",
    error: new GatewayError({ code: "LINK_REFUSED", detail }),
    retryAfterMs: 0
  })

  /** Read again for each connection; empty when none is configured. */
  const readToken: Effect.Effect<string, Ended> = Effect.gen(function* () {
    if (options.tokenFile !== undefined) {
      const path = options.tokenFile
      const token = yield* Effect.tryPromise({
        try: () => readTokenFile(path),
        catch: (error) =>
          refused(
            `the token of the OpenClaw gateway cannot be read from the file ${JSON.stringify(path)}: ${whyUnreadable(error)}`
          )
      })
      if (token === "") {
        return yield* Effect.fail(
          refused(`the file with the token of the OpenClaw gateway, ${JSON.stringify(path)}, is empty`)
        )
      }
      yield* secrets.know(GATEWAY_OWNER, token)
      return token
    }
    if (options.token === undefined) return ""
    const resolved = yield* secrets
      .resolve(GATEWAY_OWNER, options.token)
      .pipe(
        Effect.mapError(({ detail, reference }) =>
          refused(`the token of the OpenClaw gateway is not available: ${reference}: ${detail}`)
        )
      )
    yield* secrets.know(GATEWAY_OWNER, Redacted.value(resolved))
    return Redacted.value(resolved)
  })

  const connectAs = ({ caps, clientId, commands, device, displayName, mode, role, scopes }: Role) =>
    Effect.gen(function* () {
      const token = yield* readToken
      const platform = process.platform
      return yield* connect({
        address: shown,
        tokenAdvice: tokenAdviceFor(options),
        clean: sanitizer.label,
        timeoutMs: connectTimeoutMs,
        open: (onControl) =>
          guard.openSocket({
            onControl,
            server: "the OpenClaw gateway",
            url,
            own: [own],
            connectTimeoutMs,
            maxBytes: GATEWAY_FRAME_MAX_BYTES
          }),
        introduce: (challenge) => ({
          minProtocol: GATEWAY_PROTOCOL,
          maxProtocol: GATEWAY_PROTOCOL,
          client: {
            id: clientId,
            version: VERSION,
            platform,
            mode,
            ...(displayName === undefined ? {} : { displayName })
          },
          role,
          scopes,
          caps,
          ...(commands === undefined ? {} : { commands }),
          ...(token === "" ? {} : { auth: { token } }),
          ...(device === undefined
            ? {}
            : { device: device.prove(challenge, { clientId, mode, platform, role, scopes, token }) })
        })
      })
    })

  // A gateway on this machine accepts the token alone, and does not register devices.
  const operatorConnection = Effect.gen(function* () {
    const device = local ? undefined : yield* Effect.mapError(operatorDevice(directory), passing)
    return yield* connectAs({ ...OPERATOR, device })
  })

  const operator = yield* makeLink({ address: shown, advice: AWAY_ADVICE, open: operatorConnection, pauses })

  /** Approves, as the operator, what our own device requests. */
  const approve = Effect.fnUntraced(function* (kind: "device" | "node", device: Device) {
    const listed = yield* operator.request(`${kind}.pair.list`, {})
    const requests = pendingOf(listed, device.id, GATEWAY_PAIRINGS_MAX)
    for (const requestId of requests) yield* operator.request(`${kind}.pair.approve`, { requestId })
    return requests.length
  })

  const nodeConnection = (about: NodeDescription, device: Device) => {
    const role: Role = { role: "node", clientId: "node-host", mode: "node", scopes: [], device, ...about }
    return connectAs(role).pipe(
      Effect.catchIf(
        ({ kind }) => kind === "unpaired",
        (end) =>
          Effect.flatMap(Effect.mapError(approve("device", device), passing), (approved) =>
            approved === 0 ? Effect.fail(end) : connectAs(role)
          )
      ),
      // A node's commands are approved separately from the device.
      Effect.tap(() => Effect.mapError(approve("node", device), passing))
    )
  }

  return GatewayLink.of({
    address: shown,
    id,
    local,
    operator,
    download: downloadFrom(own.url, () => guard.open({ server: "the OpenClaw gateway", own: [own], connectTimeoutMs })),
    node: Effect.fn("GatewayLink.node")(function* (about: NodeDescription) {
      const device = yield* nodeDevice(directory)
      return yield* makeLink({ address: shown, open: nodeConnection(about, device), pauses })
    })
  })
})

export const layer = (
  options: Options
): Layer.Layer<GatewayLink, GatewayError, NetworkGuard | ContentSanitizer | SecretResolver> =>
  Layer.effect(GatewayLink, make(options))
