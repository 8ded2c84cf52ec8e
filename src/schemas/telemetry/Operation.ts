/**
 * One request between an MCP client and a server, as the conventions for MCP describe it: the name of its span, its attributes, and how
 * it ended. Arguments, results and messages of errors are in none of it.
 */
import { isObject } from "../data/Json.ts"
import type { TransportKind } from "../connection/ServerState.ts"
import type { RequestError } from "../connection/RequestError.ts"
import {
  ERROR_TYPE,
  EXECUTE_TOOL,
  METHOD,
  NETWORK_PROTOCOL,
  NETWORK_TRANSPORT,
  OPERATION,
  OTHER,
  PROMPT,
  PROTOCOL_VERSION,
  REQUEST_ID,
  RESOURCE_URI,
  SERVER,
  SERVER_ADDRESS,
  SERVER_PORT,
  STATUS_CODE,
  TOOL,
  TOOL_ERROR
} from "./Names.ts"

export type Attributes = Readonly<Record<string, string | number>>
type Params = Readonly<Record<string, unknown>>

/** Whoever is at the other end. */
export interface Remote {
  readonly transport: TransportKind
  readonly protocolVersion: string | undefined
  /** The name of the server in the configuration, where it is one. */
  readonly server?: string | undefined
  /** Where a server is reached over HTTP. */
  readonly address?: { readonly host: string; readonly port: number } | undefined
}

/** How an operation ended; nothing of it when it went well. */
export interface Ended {
  readonly errorType?: string | undefined
  /** The code of a JSON-RPC error. */
  readonly statusCode?: string | undefined
  /** It named something that there is not, so that its name says nothing. */
  readonly unknownName?: boolean | undefined
}

export interface Described {
  readonly name: string
  readonly span: Attributes
  /** The part of them with few values. */
  readonly metric: Attributes
}

/** What the parts of a connection have in common. */
export const remoteAttributes = ({ address, protocolVersion, server, transport }: Remote): Attributes => ({
  ...(transport === "stdio"
    ? { [NETWORK_TRANSPORT]: "pipe" }
    : { [NETWORK_TRANSPORT]: "tcp", [NETWORK_PROTOCOL]: "http" }),
  ...(protocolVersion === undefined ? {} : { [PROTOCOL_VERSION]: protocolVersion }),
  ...(address === undefined ? {} : { [SERVER_ADDRESS]: address.host, [SERVER_PORT]: address.port }),
  ...(server === undefined ? {} : { [SERVER]: server })
})

const PROMPT_REFERENCE = "ref/prompt"

/** The tool or prompt that a request is about, by the name of its attribute. */
const targetOf = (method: string, params: Params): readonly [attribute: string, name: string] | undefined => {
  const reference = method === "completion/complete" && isObject(params["ref"]) ? params["ref"] : undefined
  const name =
    reference === undefined ? params["name"] : reference["type"] === PROMPT_REFERENCE ? reference["name"] : ""
  if (typeof name !== "string" || name === "") return undefined
  if (method === "tools/call") return [TOOL, name]
  return method === "prompts/get" || reference !== undefined ? [PROMPT, name] : undefined
}

const WITH_URI: ReadonlySet<string> = new Set(["resources/read", "resources/subscribe", "resources/unsubscribe"])

/** An address without what may be a credential or an argument in it: user, query and fragment. */
export const plainUri = (uri: string): string =>
  uri.replace(/[?#].*$/s, "").replace(/^([a-z][\w+.-]*:\/\/)[^/]*@/i, "$1")

/** `clean` prepares a word of a stranger: known secrets are masked, and it is cut. */
export const describe = (
  method: string,
  params: Params,
  { clean, id, remote }: { readonly clean: (text: string) => string; readonly id: unknown; readonly remote: Remote }
): Described => {
  const target = targetOf(method, params)
  const name = target === undefined ? undefined : clean(target[1])
  const metric: Attributes = {
    [METHOD]: method,
    ...(target === undefined || name === undefined ? {} : { [target[0]]: name }),
    ...(method === "tools/call" ? { [OPERATION]: EXECUTE_TOOL } : {}),
    ...remoteAttributes(remote)
  }
  const uri = WITH_URI.has(method) ? params["uri"] : undefined
  return {
    name: name === undefined ? method : `${method} ${name}`,
    metric,
    span: {
      ...metric,
      ...(typeof id === "number" || typeof id === "string" ? { [REQUEST_ID]: clean(String(id)) } : {}),
      ...(typeof uri === "string" ? { [RESOURCE_URI]: clean(plainUri(uri)) } : {})
    }
  }
}

/** Without the name of something that there is not: a client could invent any number of them. */
export const withoutName = (attributes: Attributes): Attributes => {
  const { [PROMPT]: _prompt, [TOOL]: _tool, ...rest } = attributes
  return rest
}

// ---- how it ended --------------------------------------------------------------------------------------------------

export const endAttributes = ({ errorType, statusCode }: Ended): Attributes => ({
  ...(errorType === undefined ? {} : { [ERROR_TYPE]: errorType }),
  ...(statusCode === undefined ? {} : { [STATUS_CODE]: statusCode })
})

const WELL: Ended = {}
const CODE_MAX = 99_999

/** A server may send any number. */
const codeText = (code: number): string => (Number.isInteger(code) && Math.abs(code) <= CODE_MAX ? String(code) : OTHER)

/** A result, of which a tool may say that it is an error. */
export const endedWith = (method: string, result: unknown): Ended =>
  method === "tools/call" && isObject(result) && result["isError"] === true ? { errorType: TOOL_ERROR } : WELL

/** A request of ours that failed: every JSON-RPC error counts. */
export const endedBy = (error: RequestError): Ended => {
  switch (error._tag) {
    case "ProtocolError": {
      const code = error.code === null ? undefined : codeText(error.code)
      return { errorType: code ?? error._tag, statusCode: code }
    }
    case "CallTimeout":
      return { errorType: "timeout" }
    case "CallCancelled":
      return { errorType: "cancelled" }
    case "HttpFailed":
      return { errorType: error.status === null ? error._tag : String(error.status) }
    default:
      return { errorType: error._tag }
  }
}

const INVALID_PARAMS = -32_602

/** Codes that say that the caller asked for something impossible, which is no error of whoever answers. */
const CALLERS_FAULT: ReadonlySet<number> = new Set([-32_700, -32_600, -32_601, INVALID_PARAMS, -32_002])

/** A request to us that we refused with a JSON-RPC error. */
export const refusedWith = (code: number): Ended => {
  const statusCode = codeText(code)
  return {
    statusCode,
    errorType: CALLERS_FAULT.has(code) ? undefined : statusCode,
    unknownName: code === INVALID_PARAMS
  }
}
