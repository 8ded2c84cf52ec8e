/** Redirects: they are followed within the origin of the request, and elsewhere only for a caller that wants it. */
import type { Response } from "undici"
import { SHOWN_URI_MAX_CHARS } from "../../../schemas/defaults/Texts.ts"
import { REDIRECTS_MAX } from "../../../schemas/defaults/Wire.ts"
import { RedirectBlocked } from "../../../schemas/connection/HttpError.ts"

type Fetch = (url: string | URL, init?: RequestInit) => Promise<Response>

const REDIRECTS: ReadonlySet<number> = new Set([301, 302, 303, 307, 308])

const targetOf = (response: Response, from: URL): URL | undefined => {
  if (!REDIRECTS.has(response.status)) return undefined
  const location = response.headers.get("location")
  return location === null ? undefined : (URL.parse(location, from.href) ?? undefined)
}

/** The target for an error, without parts that may be secret or an attack. No part is cut, because half a secret is not recognized. */
const shown = ({ host, pathname, protocol }: URL): string =>
  [`${protocol}//${host}${pathname}`, `${protocol}//${host}/…`]
    .map((address) => address.replace(/[^\x21-\x7e…]/g, ""))
    .find((address) => address.length <= SHOWN_URI_MAX_CHARS) ?? "…"

interface Step {
  readonly from: URL
  readonly to: URL
  readonly method: string
  readonly status: number
  readonly followed: number
  readonly anyOrigin: boolean
}

const objection = ({ anyOrigin, followed, from, method, status, to }: Step): string | undefined => {
  if ((to.origin !== from.origin && !anyOrigin) || !/^https?:$/.test(to.protocol)) return "because it is another origin"
  if (to.username !== "" || to.password !== "") return "because it holds a user name or a password"
  if (followed >= REDIRECTS_MAX) return `because ${REDIRECTS_MAX} redirects led nowhere`
  // 301, 302 and 303 turn a POST into a GET, which is another request.
  const repeats = method === "GET" || status === 307 || status === 308
  return repeats ? undefined : "because it would change the request"
}

export const withinOrigin =
  (server: string, fetchOnce: Fetch, anyOrigin = false): Fetch =>
  async (url, init = {}) => {
    let response = await fetchOnce(url, init)
    if (response.status < 300 || response.status > 399) return response
    let from = new URL(url)
    for (let followed = 0; ; followed++) {
      const to = targetOf(response, from)
      if (to === undefined) return response
      await response.body?.cancel()
      const step = { from, to, method: init.method ?? "GET", status: response.status, followed, anyOrigin }
      const detail = objection(step)
      if (detail !== undefined) throw new RedirectBlocked({ server, target: shown(to), detail })
      from = to
      response = await fetchOnce(to, init)
    }
  }
