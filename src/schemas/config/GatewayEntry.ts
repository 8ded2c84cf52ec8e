/**
 * Where an OpenClaw gateway is, as OpenClaw's own configuration says it: `gateway.remote.{url,token}` for the machine of a
 * client, `gateway.{port,auth,tls}` for the machine of the gateway itself. Both are OpenClaw's to check: what cannot be used
 * is told to whoever wants to use it, and to nobody else.
 */
import { OPENCLAW_PORT } from "../defaults/OpenClaw.ts"
import type { ConfiguredGateway, ConfiguredGateways } from "../agent/GatewayAddress.ts"
import { isObject } from "../data/Json.ts"
import { member } from "./Fields.ts"
import { interpolate, variablesIn, type Environment } from "./Interpolation.ts"

interface Token {
  readonly token?: string
  /** Which setting, or which variable, it is from. */
  readonly tokenFrom?: string
  readonly problem?: string
}

const MAX_PORT = 65_535

const membersOf = (value: unknown): Record<string, unknown> => (isObject(value) ? value : {})

const TOKEN_VARIABLE = "OPENCLAW_GATEWAY_TOKEN"

/** OpenClaw's variable, where the configuration names none. */
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
    ? { problem: `${key} is no text that can be read` }
    : { token: text, tokenFrom: sourceOf(key, variablesIn(value)) }
}

const configured = (url: string, { problem, token, tokenFrom }: Token, env: Environment): ConfiguredGateway => ({
  address: { url, token, tokenFrom, allowPrivate: env["OPENCLAW_ALLOW_INSECURE_PRIVATE_WS"] === "1" },
  problem
})

/** Whoever writes "remote" wants no other agent, and is told what is missing when there is need of it. */
const readRemote = (url: string | undefined, token: unknown, env: Environment): ConfiguredGateway =>
  url === undefined
    ? { address: { url: "" }, problem: NO_URL }
    : configured(interpolate(url, env).text, readToken("gateway.remote.token", token, env), env)

const NO_URL =
  'gateway.mode is "remote", and gateway.remote.url does not say where: add it, or name the gateway with --gateway, or have the built-in agent answer with --backend embedded'

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
