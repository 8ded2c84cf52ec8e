/** A person's browser: it keeps cookies by origin, follows redirects and pages that lead on, and clicks the one button of a page. */

/** A page where it stopped. */
export interface Seen {
  readonly url: string
  readonly status: number
  readonly text: string
  readonly headers: Headers
}

const HOPS_MAX = 40

const unescaped = (text: string): string =>
  text
    .replaceAll("&quot;", '"')
    .replaceAll("&#39;", "'")
    .replaceAll("&lt;", "<")
    .replaceAll("&gt;", ">")
    .replaceAll("&amp;", "&")

export const makeBrowser = () => {
  const jars = new Map<string, Map<string, string>>()

  const fetched = async (url: URL, init: RequestInit = {}): Promise<Response> => {
    const jar = jars.get(url.origin) ?? new Map<string, string>()
    jars.set(url.origin, jar)
    const cookie = [...jar].map(([name, value]) => `${name}=${value}`).join("; ")
    const headers = { ...(init.headers as Record<string, string>), ...(cookie === "" ? {} : { cookie }) }
    const response = await fetch(url, { ...init, redirect: "manual", headers })
    for (const line of response.headers.getSetCookie()) {
      const [, name, value] = /^([^=]+)=([^;]*)/.exec(line) ?? []
      if (name !== undefined) jar.set(name, value ?? "")
    }
    return response
  }

  /** Goes on until a page leads nowhere. */
  const follow = async (first: URL, init?: RequestInit, until: (at: URL) => boolean = () => false): Promise<Seen> => {
    let [at, now] = [first, init]
    for (let hop = 0; hop < HOPS_MAX; hop++) {
      const response = await fetched(at, now)
      const text = await response.text()
      const location = response.headers.get("location")
      const refresh = /http-equiv="refresh" content="0;url=([^"]+)"/.exec(text)?.[1]
      const next = location ?? (refresh === undefined ? undefined : unescaped(refresh))
      if (next === undefined) return { url: at.href, status: response.status, text, headers: response.headers }
      at = new URL(next, at)
      now = undefined
      if (until(at)) return { url: at.href, status: 0, text: "", headers: new Headers() }
    }
    throw new Error("the pages lead on without end")
  }

  const click = (
    { text, url }: Seen,
    more: Record<string, string> = {},
    until?: (at: URL) => boolean
  ): Promise<Seen> => {
    const token = unescaped(/name="token" value="([^"]*)"/.exec(text)?.[1] ?? "")
    return follow(
      new URL(url),
      {
        method: "POST",
        headers: { origin: new URL(url).origin, "content-type": "application/x-www-form-urlencoded", ...more },
        body: new URLSearchParams({ token }).toString()
      },
      until
    )
  }

  return { open: (url: string, until?: (at: URL) => boolean) => follow(new URL(url), undefined, until), click }
}

export type Browser = ReturnType<typeof makeBrowser>
