/**
 * An MCP server that tells everyone what it was trusted with: every secret that it got by its environment, its arguments,
 * a header or its address, in every form, in every place of the protocol where a server can put words.
 *
 *   node test/canary/echo.ts ARGUMENT            over stdio
 *   (echoHttp in this file)                      over HTTP, for the process that calls it
 */
import { createServer, type IncomingMessage, type ServerResponse } from "node:http"
import type { AddressInfo } from "node:net"
import { createInterface } from "node:readline"
import { FORMS, type Form } from "./secrets.ts"

type Json = Record<string, unknown>
type Send = (message: Json) => void

const NAMES = Object.keys(FORMS) as ReadonlyArray<Form>

/** All it knows, in one form, with the words around that such leaks have. */
const leak = (form: Form, known: ReadonlyArray<string>) =>
  `the ${form}: ${known.map((secret) => `key=${FORMS[form](secret)};`).join(" ")}`

/** For places that are cut after a line: the last one first. */
const short = (form: Form, known: ReadonlyArray<string>) => FORMS[form](known.at(-1)!)

const LONG_TIMES = 4_000

const contentOf = (form: Form, known: ReadonlyArray<string>): Json => {
  const words = leak(form, known)
  const one = short(form, known)
  const blob = Buffer.from(words).toString("base64")
  return {
    content: [
      { type: "text", text: words },
      { type: "image", data: blob, mimeType: `image/png;${one}` },
      { type: "audio", data: blob, mimeType: "audio/wav" },
      { type: "resource", resource: { uri: `leak://${one}`, mimeType: "text/plain", text: words } },
      { type: "resource", resource: { uri: `leak://${one}`, mimeType: "application/zip", blob } },
      { type: "resource_link", uri: `leak://${one}`, name: one, title: one, description: words, mimeType: one },
      { type: one, text: words }
    ],
    structuredContent: { [one]: words, list: [words, { [one]: 1 }] },
    _meta: { [one]: words }
  }
}

const definitionsOf = (known: ReadonlyArray<string>, verbs: ReadonlyArray<string>) =>
  NAMES.flatMap((form) =>
    verbs.map((verb) => {
      const [words, one] = [leak(form, known), short(form, known)]
      return {
        name: `${verb}_${form}`,
        title: one,
        description: words,
        inputSchema: {
          type: "object",
          title: one,
          description: words,
          properties: { [one]: { type: "string", enum: [one], default: one, examples: [one], description: words } }
        },
        annotations: { title: one, [one]: true }
      }
    })
  )

const VERBS = ["say", "fail", "refuse", "long", "progress", "log", "ask"]
const RPC_ERROR = -32000
const METHOD_NOT_FOUND = -32601

/** Answers one message; what it asks of the client goes out through `send`, too. */
const answer = (message: Json, known: ReadonlyArray<string>, send: Send): unknown => {
  const { id, method } = message
  const params = (message["params"] ?? {}) as Json
  if (typeof method !== "string" || id === undefined) return
  const give = (result: Json) => send({ jsonrpc: "2.0", id, result })
  const formOf = (text: unknown) => NAMES.find((name) => String(text).endsWith(`_${name}`)) ?? "raw"
  const refuse = (form: Form) =>
    send({
      jsonrpc: "2.0",
      id,
      error: { code: RPC_ERROR, message: leak(form, known), data: { [short(form, known)]: leak(form, known) } }
    })

  switch (method) {
    case "initialize":
      return give({
        protocolVersion: "2025-11-25",
        capabilities: { tools: { listChanged: true }, resources: {}, prompts: {}, completions: {}, logging: {} },
        serverInfo: { name: short("raw", known), version: short("base64", known), title: short("hex", known) },
        instructions: NAMES.map((form) => leak(form, known)).join("\n")
      })
    case "ping":
      return give({})
    case "tools/list":
      return give({ tools: [...definitionsOf(known, VERBS), { name: "die", inputSchema: { type: "object" } }] })
    case "resources/list":
      return give({
        resources: NAMES.map((form) => ({
          uri: `leak://read/_${form}`,
          name: short(form, known),
          title: short(form, known),
          description: leak(form, known),
          mimeType: short(form, known)
        }))
      })
    case "resources/templates/list":
      return give({
        resourceTemplates: NAMES.map((form) => ({
          uriTemplate: `leak://{x}/${FORMS.percent(short(form, known))}`,
          name: short(form, known),
          description: leak(form, known)
        }))
      })
    case "resources/read": {
      const form = formOf(params["uri"])
      return give({
        contents: [
          { uri: params["uri"], mimeType: short(form, known), text: leak(form, known) },
          { uri: `leak://${short(form, known)}`, blob: Buffer.from(leak(form, known)).toString("base64") }
        ]
      })
    }
    case "prompts/list":
      return give({
        prompts: NAMES.map((form) => ({
          name: `prompt_${form}`,
          title: short(form, known),
          description: leak(form, known),
          arguments: [{ name: short(form, known), description: leak(form, known) }]
        }))
      })
    case "prompts/get": {
      const form = formOf(params["name"])
      return give({
        description: leak(form, known),
        messages: ["user", "assistant", short(form, known)].map((role) => ({
          role,
          content: { type: "text", text: leak(form, known) }
        }))
      })
    }
    case "completion/complete":
      return give({ completion: { values: NAMES.map((form) => short(form, known)) } })
    case "logging/setLevel":
      return give({})
    case "tools/call":
      return callTool(String(params["name"]), params, known, { give, refuse, send, formOf })
    default:
      return send({ jsonrpc: "2.0", id, error: { code: METHOD_NOT_FOUND, message: leak("raw", known) } })
  }
}

interface Answering {
  readonly give: (result: Json) => void
  readonly refuse: (form: Form) => void
  readonly send: Send
  readonly formOf: (text: unknown) => Form
}

let asked = 0

const callTool = (
  name: string,
  params: Json,
  known: ReadonlyArray<string>,
  { formOf, give, refuse, send }: Answering
): unknown => {
  const form = formOf(name)
  const words = leak(form, known)
  const note = (method: string, given: Json) => send({ jsonrpc: "2.0", method, params: given })
  const ask = (method: string, given: Json) => send({ jsonrpc: "2.0", id: `ask-${asked++}`, method, params: given })
  switch (name.split("_")[0]) {
    case "fail":
      return give({ ...contentOf(form, known), isError: true })
    case "refuse":
      return refuse(form)
    case "long":
      // The cut, the file that keeps the rest and reading on: secrets lie across every border.
      return give({ content: [{ type: "text", text: `${words}\n`.repeat(LONG_TIMES) }] })
    case "progress": {
      const token = (params["_meta"] as Json | undefined)?.["progressToken"]
      note("notifications/progress", { progressToken: token, progress: 1, message: short(form, known) })
      return give({ content: [] })
    }
    case "log":
      note("notifications/message", {
        level: "error",
        logger: short(form, known),
        data: { [short(form, known)]: words }
      })
      note(`notifications/${short(form, known)}`, { [short(form, known)]: words })
      if (import.meta.main) process.stderr.write(`${words}\n`)
      return give({ content: [] })
    case "ask":
      ask("elicitation/create", {
        message: words,
        requestedSchema: {
          type: "object",
          properties: {
            answer: { type: "string", title: short(form, known), description: words, default: short(form, known) }
          }
        }
      })
      ask("sampling/createMessage", {
        maxTokens: 10,
        systemPrompt: words,
        messages: [{ role: "user", content: { type: "text", text: words } }]
      })
      ask(short(form, known), { words })
      // Whoever asked has time to be answered: pings come and go in between.
      return setTimeout(() => give({ content: [{ type: "text", text: words }] }), ASKED_MS)
    case "die":
      // Over HTTP it is part of the process that runs all this.
      if (!import.meta.main) return refuse(form)
      for (const each of NAMES) process.stderr.write(`last words: ${leak(each, known)}\n`)
      process.stdout.write(`not JSON: ${leak("raw", known)}\n`)
      return setTimeout(() => process.exit(3), DYING_MS)
    default:
      return give(contentOf(form, known))
  }
}

const ASKED_MS = 150
const DYING_MS = 100

// ---- stdio ---------------------------------------------------------------------------------------------------------

const overStdio = (): void => {
  const known = [
    process.env["CANARY_ENV"],
    process.env["CANARY_LINES"],
    process.env["CANARY_TOKEN"],
    process.argv[2]
  ].filter((text) => text !== undefined)
  const send: Send = (message) => process.stdout.write(`${JSON.stringify(message)}\n`)
  for (const form of NAMES) process.stderr.write(`starting with ${leak(form, known)}\n`)
  process.stdout.write(`a banner with ${leak("raw", known)}\n`)
  createInterface({ input: process.stdin }).on("line", (line) => answer(JSON.parse(line) as Json, known, send))
}

// ---- HTTP ----------------------------------------------------------------------------------------------------------

export interface EchoHttp {
  readonly port: number
  readonly close: () => Promise<void>
}

const bodyOf = async (request: IncomingMessage): Promise<string> => {
  let body = ""
  for await (const chunk of request) body += String(chunk)
  return body
}

/** Header values may hold only what a header may hold. */
const headerSafe = (text: string) => text.replace(/[^\x20-\x7e]/g, "")

/** What a server that wants a login is protected with, and what its authorization server learned meanwhile. */
interface Protection {
  readonly accessToken: string
  clientSecret: string | undefined
}

/** The authorization server, and what leads to it. The MCP server behind it is at `/oauth/mcp`. */
const asIssuer = (path: string, origin: string, body: string, protection: Protection): Json | undefined => {
  switch (path) {
    case "/.well-known/oauth-protected-resource/oauth/mcp":
      return { resource: `${origin}/oauth/mcp`, authorization_servers: [origin] }
    case "/.well-known/oauth-authorization-server":
      return {
        issuer: origin,
        authorization_endpoint: `${origin}/authorize`,
        token_endpoint: `${origin}/token`,
        response_types_supported: ["code"],
        grant_types_supported: ["client_credentials"],
        token_endpoint_auth_methods_supported: ["client_secret_post"],
        code_challenge_methods_supported: ["S256"]
      }
    case "/token":
      protection.clientSecret = new URLSearchParams(body).get("client_secret") ?? undefined
      return { access_token: protection.accessToken, token_type: "Bearer", expires_in: 3600 }
    default:
      return undefined
  }
}

/**
 * Paths: `/mcp` is the server; `/oauth/mcp` the same for those who have a token; `/STATUS/mcp` answers everything with that
 * status and all it knows.
 */
const overHttp = async (request: IncomingMessage, response: ServerResponse, protection: Protection): Promise<void> => {
  const origin = `http://${request.headers.host}`
  const url = new URL(request.url ?? "/", origin)
  const body = await bodyOf(request)
  const document = asIssuer(url.pathname, origin, body, protection)
  if (document !== undefined) {
    return void response.writeHead(200, { "content-type": "application/json" }).end(JSON.stringify(document))
  }
  const wantsToken = url.pathname.startsWith("/oauth/")
  if (wantsToken && request.headers.authorization !== `Bearer ${protection.accessToken}`) {
    const challenge = `Bearer resource_metadata="${origin}/.well-known/oauth-protected-resource/oauth/mcp"`
    return void response.writeHead(401, { "www-authenticate": challenge }).end()
  }
  const known = [
    request.headers["x-canary"],
    request.headers.authorization?.replace(/^Bearer /, ""),
    url.searchParams.get("key"),
    wantsToken ? protection.clientSecret : undefined
  ].filter((text) => typeof text === "string")
  const status = Number(/^\/(\d{3})\//.exec(url.pathname)?.[1] ?? 200)
  const everything = NAMES.map((form) => leak(form, known)).join("\n")
  response.setHeader("x-echo", headerSafe(leak("raw", known)))
  if (status !== 200) {
    response.statusMessage = headerSafe(leak("raw", known))
    response.setHeader("www-authenticate", headerSafe(`Bearer error="${leak("raw", known)}"`))
    response.setHeader("location", headerSafe(`http://127.0.0.1:1/?${leak("percent", known)}`))
    response.writeHead(status, { "content-type": "text/html" })
    return void response.end(everything)
  }
  if (request.method !== "POST") return void response.writeHead(405).end(everything)
  const messages: Array<Json> = []
  await new Promise<void>((resolve) => {
    const message = JSON.parse(body) as Json
    const send: Send = (sent) => {
      messages.push(sent)
      if (sent["id"] === message["id"]) resolve()
    }
    if (message["id"] === undefined || message["method"] === undefined) return resolve()
    answer(message, known, send)
  })
  if (messages.length === 0) return void response.writeHead(202).end()
  response.writeHead(200, { "content-type": "text/event-stream" })
  response.end(
    messages.map((message) => `: ${headerSafe(leak("raw", known))}\ndata: ${JSON.stringify(message)}\n\n`).join("")
  )
}

/** Speaks OpenAI's chat completions, refuses every key, and says which one. */
const asModel = (request: IncomingMessage, response: ServerResponse): void => {
  const known = [request.headers.authorization?.replace(/^Bearer /, "") ?? "none"]
  const message = NAMES.map((form) => leak(form, known)).join("\n")
  request.resume()
  response.writeHead(401, { "content-type": "application/json" })
  response.end(JSON.stringify({ error: { message, code: "invalid_api_key", param: known[0] } }))
}

/** `accessToken` is what a client gets of the authorization server. */
export const echoHttp = async (accessToken: string): Promise<EchoHttp> => {
  const protection: Protection = { accessToken, clientSecret: undefined }
  const server = createServer((request, response) => {
    if (request.url?.startsWith("/v1/") === true) return asModel(request, response)
    overHttp(request, response, protection).catch((error: unknown) => response.destroy(error as Error))
  })
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve))
  return {
    port: (server.address() as AddressInfo).port,
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve())
        server.closeAllConnections()
      })
  }
}

if (import.meta.main) overStdio()
