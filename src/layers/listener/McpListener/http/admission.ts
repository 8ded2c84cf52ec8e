/**
 * Who may send requests at all, which is checked before what they say: only requests for a name of this server, and only from pages
 * that the operator allowed. Headers of a proxy about other parties (`X-Forwarded-…`, `Forwarded`) are never believed.
 */
import type { IncomingMessage, ServerResponse } from "node:http"
import { LISTENER_PREFLIGHT_S } from "../../../../schemas/defaults/Listener.ts"
import { SAFE_HEADERS } from "../../../../system/httpServer.ts"
import { makeOwnHosts } from "../../../../system/ownHosts.ts"

export interface AdmissionOptions {
  readonly port: number
  /** The server's names besides its address. */
  readonly hosts: ReadonlyArray<string>
  /** Of pages that may send requests. */
  readonly origins: ReadonlyArray<string>
  /** Is told of a name that is not the server's. */
  readonly unknownHost: (host: string) => void
  /** Is told of a page that may not send requests. */
  readonly unknownPage: (origin: string) => void
}

export interface Admission {
  /** Whether its `Host` is a name of ours. */
  readonly isOurs: (incoming: IncomingMessage) => boolean
  /** Whether such a request is let in. If it comes from a page, the page may read the answer. */
  readonly admits: (incoming: IncomingMessage, response: ServerResponse) => boolean
  /** Whether it was a preflight request, which is answered then: it comes without a token. */
  readonly answersPreflight: (incoming: IncomingMessage, response: ServerResponse) => boolean
}

const METHODS = "GET, POST, DELETE"

const SENT = [
  "authorization",
  "dpop",
  "content-type",
  "accept",
  "mcp-session-id",
  "mcp-protocol-version",
  "last-event-id",
  "mcp-method",
  "mcp-name"
]

const READ = "mcp-session-id, www-authenticate, retry-after"

/** In 2026-07-28, a tool may ask for parameters in headers of their own. */
const PARAMETER = /^mcp-param-[a-z0-9!#$%&'*+.^_`|~-]{1,128}$/

const PARAMETERS_MAX = 64

const sentIn = ({ headers }: IncomingMessage): ReadonlyArray<string> => {
  const asked = String(headers["access-control-request-headers"] ?? "").split(",", PARAMETERS_MAX)
  return [...SENT, ...asked.map((name) => name.trim().toLowerCase()).filter((name) => PARAMETER.test(name))]
}

const withoutPort = (host: string): string => host.replace(/:\d+$/, "")

export const makeAdmission = ({ hosts, origins, port, unknownHost, unknownPage }: AdmissionOptions): Admission => {
  const known = new Set(hosts.map((host) => host.toLowerCase()))
  const pages = new Set(origins)
  const ownHosts = makeOwnHosts(port)

  const isOurs = (incoming: IncomingMessage): boolean => {
    const host = incoming.headers.host?.toLowerCase()
    if (host === undefined) return false
    if (ownHosts(incoming).includes(host) || known.has(host) || known.has(withoutPort(host))) return true
    unknownHost(host)
    return false
  }

  return {
    isOurs,
    admits: (incoming, response) => {
      if (!isOurs(incoming)) return false
      if (pages.size > 0) response.setHeader("vary", "origin")
      const { origin } = incoming.headers
      if (origin === undefined) return true
      if (pages.has(origin)) {
        response.setHeader("access-control-allow-origin", origin)
        response.setHeader("access-control-expose-headers", READ)
        return true
      }
      // Only a page of this server would send it, and there is none.
      if (ownHosts(incoming).some((host) => origin === `http://${host}`)) return true
      unknownPage(origin)
      return false
    },
    answersPreflight: (incoming, response) => {
      const isPreflight = incoming.method === "OPTIONS" && pages.has(incoming.headers.origin ?? "")
      if (!isPreflight) return false
      response
        .writeHead(204, {
          ...SAFE_HEADERS,
          "access-control-allow-methods": METHODS,
          "access-control-allow-headers": sentIn(incoming).join(", "),
          "access-control-max-age": String(LISTENER_PREFLIGHT_S)
        })
        .end()
      return true
    }
  }
}
