/**
 * Which requests are for the page at all. They must name this server (a page whose own name was made to lead here names another one), must not come
 * from another page, and must begin with the folder that only this user's browsers know.
 */
import { timingSafeEqual } from "node:crypto"
import type { IncomingMessage } from "node:http"
import { digestOf } from "../../../system/httpServer.ts"
import { makeOwnHosts } from "../../../system/ownHosts.ts"

export interface Target {
  /** Below the folder; `""` is the page itself. */
  readonly name: string
  readonly token: string | undefined
}

/** Browsers say so. Whoever is no browser has no cookie that another page could use. */
export const isFromElsewhere = ({ headers }: IncomingMessage): boolean => {
  const site = headers["sec-fetch-site"]
  return site !== undefined && site !== "same-origin" && site !== "none"
}

/** Somebody follows a link. */
export const isNavigation = ({ headers }: IncomingMessage): boolean => headers["sec-fetch-mode"] === "navigate"

/** Somebody looks at it, and no program. */
export const wantsPage = ({ headers: { accept = "" }, method }: IncomingMessage): boolean =>
  method === "GET" && /\btext\/html\b/.test(accept)

/** Browsers fetch addresses before anybody wants to see them. */
export const isAhead = ({ headers }: IncomingMessage): boolean =>
  headers["sec-purpose"] !== undefined || headers["purpose"] !== undefined

/** The values of all cookies of that name: a program at another port of this machine can add some, but none that counts. */
export const cookiesNamed = (name: string, { headers: { cookie = "" } }: IncomingMessage): ReadonlyArray<string> =>
  cookie.split(";").flatMap((pair) => {
    const at = pair.indexOf("=")
    return at !== -1 && pair.slice(0, at).trim() === name ? [pair.slice(at + 1).trim()] : []
  })

export const makeAdmission = (port: number, path: string) => {
  const hostsOf = makeOwnHosts(port)
  const folder = digestOf(path)
  return {
    /** Browsers send `Origin` with every WebSocket, and with some other requests. */
    admits: (incoming: IncomingMessage, needsOrigin: boolean): boolean => {
      const { host = "", origin } = incoming.headers
      const name = host.toLowerCase()
      if (!hostsOf(incoming).includes(name)) return false
      return origin === undefined ? !needsOrigin : origin === `http://${name}`
    },
    /** `undefined` outside of the folder. */
    targetOf: ({ url = "" }: IncomingMessage): Target | undefined => {
      const [, first = "", name, query] = /^\/([^/?]*)\/([^?]*)(?:\?(.*))?$/.exec(url) ?? []
      if (name === undefined || !timingSafeEqual(digestOf(first), folder)) return undefined
      return { name, token: new URLSearchParams(query).get("token") ?? undefined }
    }
  }
}
