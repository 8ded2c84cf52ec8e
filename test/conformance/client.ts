/**
 * The client under test: `McpLive`, as a gateway provides it, with one server, whose address the suite gives as the last
 * argument. In each scenario it does what an agent would; it ends with 1 when any of that fails.
 */
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Logger from "effect/Logger"
import * as References from "effect/References"
import { mkdtempSync, rmSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { McpLive } from "../../src/layers/McpLive.ts"
import { DEFAULT_CALL_LIMITS } from "../../src/schemas/call/CallLimits.ts"
import type { GatewayConfig } from "../../src/schemas/config/GatewayConfig.ts"
import { isObject } from "../../src/schemas/data/Json.ts"
import type { LoginPage } from "../../src/schemas/login/Login.ts"
import type { OAuthConfig } from "../../src/schemas/login/OAuthConfig.ts"
import { serverConfig } from "../../src/schemas/connection/ServerConfig.ts"
import type { AgentTool } from "../../src/schemas/call/Tool.ts"
import { ConfigSource } from "../../src/services/config/ConfigSource.ts"
import { McpRuntime } from "../../src/services/call/McpRuntime.ts"

const PEER = "peer"

const url = process.argv.at(-1) ?? ""
const scenario = process.env["MCP_CONFORMANCE_SCENARIO"] ?? ""
/** What the suite wants done, where a scenario does not say it by itself. */
const context: unknown = JSON.parse(process.env["MCP_CONFORMANCE_CONTEXT"] ?? "{}")

/** The key of the context, where it holds one. */
const given = (key: string): string | undefined => {
  const value = isObject(context) ? context[key] : undefined
  return typeof value === "string" ? value : undefined
}

const defined = <A extends object>(fields: A): A =>
  Object.fromEntries(Object.entries(fields).filter(([, value]) => value !== undefined)) as A

/** What an operator would have written down for each scenario; in the others nothing is. */
const AUTH: Readonly<Record<string, () => OAuthConfig>> = {
  "auth/basic-cimd": () => ({
    grant: "authorization_code",
    clientMetadataUrl: "https://conformance-test.local/client-metadata.json"
  }),
  "auth/pre-registration": () => ({
    grant: "authorization_code",
    ...defined({ issuer: given("issuer"), clientId: given("client_id"), clientSecret: given("client_secret") })
  }),
  "auth/client-credentials-jwt": () => ({
    grant: "client_credentials",
    algorithm: "ES256",
    ...defined({ clientId: given("client_id"), privateKey: given("private_key_pem") })
  }),
  "auth/client-credentials-basic": () => ({
    grant: "client_credentials",
    ...defined({ clientId: given("client_id"), clientSecret: given("client_secret") })
  }),
  "auth/enterprise-managed-authorization": () => ({
    grant: "jwt-bearer",
    ...defined({ clientId: given("client_id"), clientSecret: given("client_secret") }),
    enterprise: {
      idpTokenUrl: given("idp_token_endpoint") ?? "",
      idpClientId: given("idp_client_id") ?? "",
      subjectToken: given("idp_id_token") ?? ""
    }
  }),
  "auth/wif-jwt-bearer": () => ({
    grant: "jwt-bearer",
    ...defined({ clientId: given("client_id"), assertion: given("valid_jwt") })
  }),
  "auth/dpop": () => ({ grant: "authorization_code", dpop: true }),
  "auth/dpop-nonce": () => ({ grant: "authorization_code", dpop: true })
}

/** A browser whose owner agrees to everything: it goes where it is sent. */
const browse = ({ url: page }: LoginPage) =>
  Effect.promise(async () => {
    const { headers } = await fetch(page, { redirect: "manual" })
    await fetch(headers.get("location") ?? "")
  })

const auth = AUTH[scenario]?.()

const config: GatewayConfig = {
  file: "conformance",
  agents: [
    {
      id: "main",
      model: undefined,
      servers: [
        serverConfig(
          PEER,
          { kind: "http", url, headers: {}, auth },
          { sampling: true, limits: { ...DEFAULT_CALL_LIMITS, perMinute: 0, failures: 0 } }
        )
      ],
      rules: [],
      toolIndexThreshold: 0
    }
  ],
  defaultAgent: "main",
  warnings: []
}

/** Something that an agent would have been told of. */
const failed = (what: string) => Effect.die(new Error(what))

/** A value for each parameter that a tool demands. */
const required = ({ parameters }: AgentTool): Record<string, unknown> => {
  const names = Array.isArray(parameters["required"]) ? parameters["required"] : []
  return Object.fromEntries(names.map((name) => [String(name), "a value"]))
}

const connect = Effect.gen(function* () {
  const runtime = yield* McpRuntime
  yield* runtime.ready
  const status = (yield* runtime.status)[PEER]
  if (status?.state !== "Ready") return yield* failed(`the server is ${status?.state}: ${status?.lastError}`)
  // Not told to the runtime, which finds out: only checked.
  const wanted = process.env["MCP_CONFORMANCE_PROTOCOL_VERSION"]
  if (wanted !== undefined && status.protocolVersion !== wanted) {
    return yield* failed(`${status.protocolVersion} is spoken instead of ${wanted}`)
  }
  return runtime
})

const tools = Effect.flatMap(connect, (runtime) => runtime.tools)

/** The tool that the server itself calls so. */
const find = Effect.fnUntraced(function* (name: string) {
  const found = (yield* tools).find(({ server, tool }) => server === PEER && tool === name)
  return found ?? (yield* failed(`there is no tool ${name}`))
})

const call = Effect.fnUntraced(function* (name: string, args: Readonly<Record<string, unknown>>) {
  const runtime = yield* McpRuntime
  const { name: exposed } = yield* find(name)
  const { content, isError } = yield* runtime.call(exposed, args)
  yield* Effect.logInfo(name, args, content)
  if (isError) return yield* failed(`${name}: ${JSON.stringify(content)}`)
})

/** Every tool, with what it demands; for servers that offer nothing else. */
const callEach = Effect.gen(function* () {
  for (const tool of yield* tools) if (tool.server === PEER) yield* call(tool.tool, required(tool))
})

const readEach = Effect.gen(function* () {
  const runtime = yield* McpRuntime
  for (const { server, uri } of yield* runtime.resources) yield* runtime.readResource(uri, server)
})

const fillEach = Effect.gen(function* () {
  const runtime = yield* McpRuntime
  for (const { name } of yield* runtime.prompts) yield* runtime.getPrompt(name)
})

const callAsTold = Effect.gen(function* () {
  const calls = isObject(context) && Array.isArray(context["toolCalls"]) ? context["toolCalls"] : []
  for (const { arguments: args, name } of calls) yield* call(name, args)
})

const echoSchema = Effect.gen(function* () {
  const { parameters } = yield* find("json_schema_2020_12_tool")
  yield* call("json_schema_echo", { schema: parameters })
})

/** What is done in a scenario; in those that are not here the server's tools are called one after the other. */
const ACTIONS: Readonly<Record<string, Effect.Effect<unknown, unknown, McpRuntime>>> = {
  initialize: tools,
  tools_call: call("add_numbers", { a: 5, b: 3 }),
  "request-metadata": tools,
  "json-schema-ref-no-deref": tools,
  "json-schema-2020-12-preservation": echoSchema,
  "http-custom-headers": callAsTold,
  "http-standard-headers": call("test_headers", {}).pipe(
    Effect.andThen(call("my-hyphenated-tool", {})),
    Effect.andThen(readEach),
    Effect.andThen(fillEach)
  )
}

const dataDirectory = mkdtempSync(join(tmpdir(), "mcp-live-conformance-data-"))
process.on("exit", () => rmSync(dataDirectory, { recursive: true, force: true }))

const live = McpLive({
  dataDirectory,
  login: browse,
  replace: { config: Layer.succeed(ConfigSource, { load: Effect.succeed(config) }) },
  host: {
    roots: [{ uri: "file:///workspace", name: "workspace" }],
    // As a person who leaves every field as it is.
    elicit: () => Effect.succeed({ action: "accept", content: {} }),
    sample: () => Effect.succeed({ text: "an answer", model: "scripted" })
  }
})

const program = connect.pipe(
  Effect.andThen(ACTIONS[scenario] ?? callEach),
  Effect.provide(live),
  Effect.tapCause(Effect.logError),
  // The suite keeps what is said here beside the checks.
  Effect.provide(Logger.layer([Logger.withConsoleError(Logger.formatLogFmt)])),
  Effect.provideService(References.MinimumLogLevel, "Debug"),
  Effect.exit
)

process.exit((await Effect.runPromise(program))._tag === "Success" ? 0 : 1)
