/**
 * Reads the address of an OpenClaw gateway from OpenClaw's own configuration: `gateway.remote.{url,token}` on the machine of
 * a client, `gateway.{port,auth,tls}` on the machine of the gateway. OpenClaw checks both: problems are reported only when
 * the gateway is used.
 */
import { OPENCLAW_PORT } from "../defaults/OpenClaw.ts"
import type { ConfiguredGateway, ConfiguredGateways } from "../agent/GatewayAddress.ts"
import { isObject } from "../data/Json.ts"
import { member } from "./Fields.ts"
import { interpolate, variablesIn, type Environment } from "./Interpolation.ts"

interface Token {
  readonly token?: string
  /** The setting or variable that it comes from. */
  readonly tokenFrom?: string
  readonly problem?: string
}

const MAX_PORT = 65_535

const membersOf = (value: unknown): Record<string, unknown> => (isObject(value) ? value : {})

const TOKEN_VARIABLE = "OPENCLAW_GATEWAY_TOKEN"

/** OpenClaw's variable, used when the configuration names none. */
const fromEnvironment = (env: Environment): Token => {
  const token = env[TOKEN_VARIABLE]
  return token === undefined || token === "" ? {} : { token, tokenFrom: `the variable ${TOKEN_VARIABLE}` }
}

const sourceOf = (key: string, variables: ReadonlyArray<string>): string =>
  variables.length === 0 ? `${key} of the configuration` : `the variable ${variables.join(", ")} (${key})`

const readToken = (key: string, value: unknown, env: Environment): Token => {
  if (value === undefined || value === "") return fromEnvironment(env)
  if (typeof value !== "string") {
    return { problem: `${key} is not a text: give the token with --token-file` }
  }
  const { malformed, missing, text } = interpolate(value, env)
  if (missing.length > 0) return { problem: `${key} needs the variable ${missing.join(", ")}, which is not set` }
  return malformed
    ? { problem: `${key} is not a readable text` }
    : { token: text, tokenFrom: sourceOf(key, variablesIn(value)) }
}

const configured = (url: string, { problem, token, tokenFrom }: Token, env: Environment): ConfiguredGateway => ({
  address: { url, token, tokenFrom, allowPrivate: env["OPENCLAW_ALLOW_INSECURE_PRIVATE_WS"] === "1" },
  problem
})

/** With mode "remote" the user wants no other agent, so a missing URL is reported when the gateway is used. */
const readRemote = (url: string | undefined, token: unknown, env: Environment): ConfiguredGateway =>
  url === undefined
    ? { address: { url: "" }, problem: NO_URL }
    : configured(interpolate(url, env).text, readToken("gateway.remote.token", token, env), env)

const NO_URL =
  'gateway.mode is "remote", but gateway.remote.url is missing: add it, or name the gateway with --gateway, or use the built-in agent with --backend embedded'

export const readGateways = (root: Record<string, unknown>, env: Environment): ConfiguredGateways => {
  const gateway = membersOf(member(root, "gateway"))
  const [mode, port, auth] = [member(gateway, "mode"), member(gateway, "port"), member(gateway, "auth")]
  const remote = membersOf(member(gateway, "remote"))
  const url = member(remote, "url")
  const hasUrl = typeof url === "string" && url !== ""
  const isPort = typeof port === "number" && Number.isInteger(port) && port > 0 && port <= MAX_PORT
  const scheme = member(membersOf(member(gateway, "tls")), "enabled") === true ? "wss" : "ws"
  return {
    remote: mode === "remote" ? readRemote(hasUrl ? url : undefined, member(remote, "token"), env) : undefined,
    local: configured(
      `${scheme}://127.0.0.1:${isPort ? port : OPENCLAW_PORT}`,
      readToken("gateway.auth.token", member(membersOf(auth), "token"), env),
      env
    ),
    isGatewaysOwn: mode === "local" || (mode !== "remote" && (port !== undefined || auth !== undefined))
  }
}
