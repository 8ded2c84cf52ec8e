/**
 * Requests of browsers for a page that another node of the fleet has made: passed on with what the page needs, and nothing else. They name no client:
 * the page decides who may do what there.
 */
import { request, type Agent, type IncomingMessage, type ServerResponse } from "node:http"
import { LISTENER_PAGE_MS } from "../../../../../schemas/defaults/Listener.ts"
import type { NodeId } from "../../../../../schemas/fleet/Node.ts"
import { refuse } from "../../../../../system/httpServer.ts"

const PAGE = "x-mcp-live-page"
const NEEDED = ["accept", "origin"]
const OF_A_FORM = ["content-length", "content-type"]
const GIVEN = [
  "cache-control",
  "content-security-policy",
  "content-type",
  "cross-origin-opener-policy",
  "referrer-policy",
  "set-cookie",
  "x-content-type-options",
  "x-frame-options"
]

const nameOf = ({ incarnation, name }: NodeId): string =>
  Buffer.from(JSON.stringify([name, incarnation])).toString("base64url")

/** Whether another node has passed on a request for a page to this life of this node. */
export const isForPage = ({ headers }: IncomingMessage, self: NodeId): boolean => headers[PAGE] === nameOf(self)

const pick = (headers: IncomingMessage["headers"], names: ReadonlyArray<string>) =>
  Object.fromEntries(names.flatMap((name) => (headers[name] === undefined ? [] : [[name, headers[name]]])))

/** Of the cookies of a browser, those with these names. */
const cookiesOf = ({ cookie = "" }: IncomingMessage["headers"], names: ReadonlyArray<string>) => {
  const found = cookie.split(";").filter((pair) => names.includes(pair.split("=", 1)[0]!.trim()))
  return found.length === 0 ? {} : { cookie: found.join(";").trim() }
}

export const passPage = (
  incoming: IncomingMessage,
  response: ServerResponse,
  node: NodeId,
  agent: Agent,
  cookies: ReadonlyArray<string>
): void => {
  const away = () => {
    if (response.headersSent) response.destroy()
    else refuse(response, 503, { "retry-after": "1" })
  }
  const { headers, method, url = "/" } = incoming
  // `node:http` sends the body of any other method without a length: what a stranger wrote would be the next request of this connection.
  const isForm = method === "POST"
  const needed = isForm ? [...NEEDED, ...OF_A_FORM] : NEEDED
  const sent = request({
    agent,
    method,
    path: url,
    timeout: LISTENER_PAGE_MS,
    headers: { ...pick(headers, needed), ...cookiesOf(headers, cookies), host: "fleet", [PAGE]: nameOf(node) }
  })
  sent.once("response", (answer) => {
    response.writeHead(answer.statusCode ?? 502, pick(answer.headers, GIVEN))
    answer.once("error", away)
    answer.pipe(response)
  })
  sent.once("error", away)
  sent.once("timeout", () => sent.destroy())
  response.once("close", () => sent.destroy())
  if (isForm) incoming.pipe(sent)
  else sent.end()
}
