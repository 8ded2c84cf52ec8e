/** The headers that repeat what a request of 2026-07-28 says in its body: they have to be there, and to agree with it. */
import { isObject } from "../../../../schemas/data/Json.ts"
import type { JSONRPCRequest } from "../requests/sdk.ts"
import type { Exchange } from "./Exchange.ts"
import { errorAnswer, type Answer } from "./httpMessages.ts"

const HEADER_MISMATCH = -32_020

const disagreement = (header: string, body: string, id: unknown): Answer =>
  errorAnswer(
    400,
    HEADER_MISMATCH,
    `Bad Request: the request headers and body disagree: ${body}`,
    id,
    {},
    {
      mismatch: { header, body }
    }
  )

/** Which parameter `Mcp-Name` repeats. */
const NAMES: Readonly<Record<string, string>> = {
  "tools/call": "name",
  "prompts/get": "name",
  "resources/read": "uri",
  "tasks/get": "taskId",
  "tasks/update": "taskId",
  "tasks/cancel": "taskId"
}

const ENCODED = /^=\?base64\?(?<text>(?:[A-Za-z0-9+/]{4})*(?:[A-Za-z0-9+/]{2}==|[A-Za-z0-9+/]{3}=)?)\?=$/

const utf8 = new TextDecoder("utf-8", { fatal: true })

/** What cannot be written in a header is encoded. */
const decoded = (value: string): string | undefined => {
  if (!value.startsWith("=?base64?") || !value.endsWith("?=")) return value
  const text = ENCODED.exec(value)?.groups?.["text"]
  if (text === undefined) return undefined
  try {
    return utf8.decode(Buffer.from(text, "base64"))
  } catch {
    return undefined
  }
}

/** Why a request for this revision is refused. */
export const headerFault = (
  exchange: Exchange,
  { id, method, params }: JSONRPCRequest,
  revision: string
): Answer | undefined => {
  const missing = (body: string) => disagreement("(missing)", body, id)
  if (exchange.header("mcp-protocol-version") === undefined) {
    return missing(
      `the body envelope names protocol version ${revision} but the required MCP-Protocol-Version header is absent`
    )
  }
  if (exchange.header("mcp-method") === undefined) {
    return missing(`the body names method ${method} but the required Mcp-Method header is absent`)
  }
  const key = Object.hasOwn(NAMES, method) ? NAMES[method] : undefined
  if (key === undefined) return undefined
  const given = isObject(params) ? params[key] : undefined
  const name = typeof given === "string" ? given : undefined
  const header = exchange.header("mcp-name")?.replaceAll(/^[\t ]+|[\t ]+$/g, "")
  if (header === undefined) {
    return name === undefined
      ? undefined
      : missing(`the body carries params.${key}="${name}" but the required Mcp-Name header is absent`)
  }
  const said = decoded(header)
  if (said === undefined)
    return disagreement(header, "the Mcp-Name header carries an invalid Base64 sentinel value", id)
  if (name === undefined || said === name) return undefined
  return disagreement(header, `the body carries params.${key}="${name}" but the Mcp-Name header names "${said}"`, id)
}
