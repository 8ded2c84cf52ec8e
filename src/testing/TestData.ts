/** What a server in memory offers, as data, and how it answers requests. */
import * as Effect from "effect/Effect"
import { decodeAll, decodePrompt, decodeResource, decodeTool, type Catalogue } from "../schemas/connection/Catalogue.ts"
import { HostRefusal } from "../schemas/content/HostRequest.ts"
import { isObject, type JsonObject } from "../schemas/data/Json.ts"
import { ProtocolError, type RequestError } from "../schemas/connection/RequestError.ts"

type Params = Readonly<Record<string, unknown>>

/** The host of a server, for a tool to use during a call. */
export interface TestHost {
  /** Sends `roots/list`, `sampling/createMessage` or `elicitation/create`; the runtime answers as it answers a real server. */
  readonly ask: (method: string, params?: Params) => Effect.Effect<JsonObject, HostRefusal>
  /** Reports progress: `{ progress, total, message }`. */
  readonly report: (progress: Params) => void
}

/** A tool of a test server. Every optional part has a harmless default. */
export interface TestTool {
  readonly name: string
  readonly description?: string
  readonly inputSchema?: object
  /** Returns the `tools/call` result, or a promise or Effect of it. Default: the arguments as JSON text. */
  readonly handle?: (args: Params, host: TestHost) => unknown
}

/** A resource of a test server. */
export interface TestResource {
  readonly uri: string
  readonly name: string
  readonly mimeType?: string
  /** Returns the `resources/read` result, or only its text. Default: the name. */
  readonly read?: (uri: string) => unknown
}

/** Resources of a test server with {variables} in their URI. */
export interface TestResourceTemplate {
  /** A variable matches everything up to the next slash. */
  readonly uriTemplate: string
  readonly name: string
  readonly mimeType?: string
  readonly read?: (uri: string) => unknown
  readonly complete?: Complete
}

/** A prompt of a test server. */
export interface TestPrompt {
  readonly name: string
  readonly description?: string
  readonly arguments?: ReadonlyArray<{
    readonly name: string
    readonly description?: string
    readonly required?: boolean
  }>
  /** Returns the `prompts/get` result, or only the text of its one message. Default: name and arguments. */
  readonly get?: (args: Params) => unknown
  readonly complete?: Complete
}

/** Returns the values of a completion. */
export type Complete = (argument: { readonly name: string; readonly value: string }) => ReadonlyArray<string>

/** Raw definitions, as a server would send them, including invalid ones. */
export interface Offered {
  readonly tools: ReadonlyArray<unknown>
  /** `undefined` when the server offers none. */
  readonly resources: ReadonlyArray<unknown> | undefined
  readonly resourceTemplates: ReadonlyArray<unknown> | undefined
  readonly prompts: ReadonlyArray<unknown> | undefined
}

/** Adds the schema that a tool needs, if it has none. */
export const withSchema = (tool: unknown): unknown =>
  isObject(tool) && "name" in tool ? { inputSchema: { type: "object" }, ...tool } : tool

/** The catalog that a connector would list. */
export const toCatalogue = (
  offered: Offered,
  wanted: { readonly resources: boolean; readonly subscriptions: boolean }
): Catalogue => {
  const { prompts = [], resourceTemplates = [], resources = [], tools } = offered
  const offersResources = wanted.resources && (offered.resources ?? offered.resourceTemplates) !== undefined
  const lists = {
    tools: decodeAll(tools, decodeTool, ({ name }) => name),
    resources: decodeAll(offersResources ? resources : [], decodeResource("uri"), ({ uri }) => uri),
    resourceTemplates: decodeAll(
      offersResources ? resourceTemplates : [],
      decodeResource("uriTemplate"),
      ({ uri }) => uri
    ),
    prompts: decodeAll(prompts, decodePrompt, ({ name }) => name)
  }
  return {
    offers: {
      resources: offersResources,
      subscriptions: offersResources && wanted.subscriptions,
      prompts: offered.prompts !== undefined,
      completions: [...prompts, ...resourceTemplates].some((value) => isObject(value) && "complete" in value)
    },
    tools: lists.tools.values,
    resources: lists.resources.values,
    resourceTemplates: lists.resourceTemplates.values,
    prompts: lists.prompts.values,
    diagnostics: Object.values(lists).flatMap(({ diagnostics }) => diagnostics)
  }
}

const INVALID_PARAMS = -32602
const METHOD_NOT_FOUND = -32601
const RESOURCE_NOT_FOUND = -32002

const find = <A>(all: ReadonlyArray<unknown> | undefined, matches: (value: A) => boolean): A | undefined =>
  all?.filter(isObject).find((value) => matches(value as A)) as A | undefined

const matchesTemplate = (uriTemplate: string, uri: string) =>
  new RegExp(
    `^${uriTemplate
      .split(/\{[^}]*\}/)
      .map(escaped)
      .join("[^/]*")}$`
  ).test(uri)

const textContent = (text: string) => ({ type: "text", text })

const read = ({ mimeType, name, read }: TestResource | TestResourceTemplate, uri: string) => {
  const given = read === undefined ? name : read(uri)
  return typeof given === "string" ? { contents: [{ uri, mimeType: mimeType ?? "text/plain", text: given }] } : given
}

const get = ({ get, name }: TestPrompt, args: Params) => {
  const given = get === undefined ? `${name} ${JSON.stringify(args)}` : get(args)
  return typeof given === "string" ? { messages: [{ role: "user", content: textContent(given) }] } : given
}

const call = ({ handle }: TestTool, args: Params, host: TestHost) =>
  handle?.(args, host) ?? { content: [textContent(JSON.stringify(args))] }

const complete = (offered: Offered, { argument, ref }: Params) => {
  if (!isObject(ref) || !isObject(argument)) return undefined
  const found =
    ref["type"] === "ref/prompt"
      ? find<TestPrompt>(offered.prompts, ({ name }) => name === ref["name"])
      : find<TestResourceTemplate>(offered.resourceTemplates, ({ uriTemplate }) => uriTemplate === ref["uri"])
  if (found === undefined) return undefined
  const values = found.complete?.(argument as { name: string; value: string }) ?? []
  return { completion: { values, total: values.length, hasMore: false } }
}

const argumentsOf = (params: Params) => (isObject(params["arguments"]) ? params["arguments"] : {})

/** The result of a request: a value, a promise or an Effect; `undefined` for what the server does not have. */
const given = (offered: Offered, method: string, params: Params, host: TestHost): unknown => {
  switch (method) {
    case "tools/call": {
      const tool = find<TestTool>(offered.tools, ({ name }) => name === params["name"])
      return tool && call(tool, argumentsOf(params), host)
    }
    case "resources/read": {
      const uri = String(params["uri"])
      const resource =
        find<TestResource>(offered.resources, (candidate) => candidate.uri === uri) ??
        find<TestResourceTemplate>(
          offered.resourceTemplates,
          ({ uriTemplate }) => typeof uriTemplate === "string" && matchesTemplate(uriTemplate, uri)
        )
      return resource && read(resource, uri)
    }
    case "prompts/get": {
      const prompt = find<TestPrompt>(offered.prompts, ({ name }) => name === params["name"])
      return prompt && get(prompt, argumentsOf(params))
    }
    case "completion/complete":
      return complete(offered, params)
    default:
      return undefined
  }
}

const MISSING: Readonly<Record<string, readonly [code: number, words: string]>> = {
  "tools/call": [INVALID_PARAMS, "Unknown tool"],
  "resources/read": [RESOURCE_NOT_FOUND, "Resource not found"],
  "prompts/get": [INVALID_PARAMS, "Unknown prompt"],
  "completion/complete": [INVALID_PARAMS, "Nothing to complete"]
}

const isPromise = (value: unknown): value is Promise<unknown> => value instanceof Promise

/** Answers one request as this server. A handler that throws is a bug of the test; the answer says so. */
export const answer = (
  server: string,
  offered: Offered,
  method: string,
  params: Params,
  host: TestHost
): Effect.Effect<unknown, RequestError> =>
  Effect.suspend(() => {
    const value = given(offered, method, params, host)
    if (value === undefined) {
      const [code, detail] = MISSING[method] ?? [METHOD_NOT_FOUND, `Method not found: ${method}`]
      return Effect.fail(new ProtocolError({ server, code, detail }))
    }
    if (isPromise(value)) return Effect.promise(() => value)
    if (!Effect.isEffect(value)) return Effect.succeed(value)
    return (value as Effect.Effect<unknown, unknown>).pipe(
      Effect.mapError((error) => {
        const refused = error instanceof HostRefusal ? error : undefined
        return new ProtocolError({ server, code: refused?.code ?? null, detail: refused?.message ?? String(error) })
      })
    )
  })

function escaped(text: string) {
  return text.replace(/[.*+?^${}()|[\]\\]/g, "\\$&")
}
