/** What the pages say, in plain words. No script, nothing of anybody else, and every name is escaped. */

const HEADERS = {
  "content-type": "text/html; charset=utf-8",
  "cache-control": "no-store",
  "content-security-policy":
    "default-src 'none'; style-src 'unsafe-inline'; form-action 'self'; base-uri 'none'; frame-ancestors 'none'",
  "cross-origin-opener-policy": "same-origin",
  // The form has to say where it comes from; other origins see nothing of the address.
  "referrer-policy": "same-origin",
  "x-content-type-options": "nosniff",
  "x-frame-options": "DENY"
}

export interface Page {
  readonly status: number
  readonly headers: Readonly<Record<string, string>>
  readonly body: string
}

const ENTITIES: Readonly<Record<string, string>> = {
  "&": "&amp;",
  "<": "&lt;",
  ">": "&gt;",
  '"': "&quot;",
  "'": "&#39;"
}

const escaped = (text: string): string => text.replaceAll(/[&<>"']/g, (char) => ENTITIES[char]!)

const STYLE =
  "body{font:16px/1.5 system-ui,sans-serif;max-width:34em;margin:12vh auto;padding:0 1em;color-scheme:light dark}button{font:inherit;padding:.5em 1.2em}"

const paged = (status: number, title: string, content: string, head = ""): Page => ({
  status,
  headers: HEADERS,
  body: `<!doctype html><html lang="en"><meta charset="utf-8"><meta name="viewport" content="width=device-width">${head}<title>${escaped(title)}</title><style>${STYLE}</style><h1>${escaped(title)}</h1>${content}</html>\n`
})

const text = (words: string): string => `<p>${escaped(words)}</p>`

/** `whose`: the person, as the issuer names them. */
export interface Asked {
  readonly server: string
  readonly host: string
  readonly whose: string
  /** Whether the person has to log in at their issuer first. */
  readonly proves: boolean
  readonly token: string
}

export const askPage = ({ host, proves, server, token, whose }: Asked): Page =>
  paged(
    200,
    `Connect your account at ${server}?`,
    text(`mcp-live will use your account at ${server} (${host}) for the calls of ${whose}, and of nobody else.`) +
      text(
        proves
          ? `First you log in as ${whose}; then ${server} asks you for access.`
          : `Go on only if you are ${whose} and asked for this yourself: whoever connects an account here lets ${whose} use it. If somebody sent you this address, close the page.`
      ) +
      `<form method="post"><input type="hidden" name="token" value="${escaped(token)}"><button>Connect my account for ${escaped(whose)}</button></form>`
  )

/** Forms lead nowhere else (`form-action`), so a page leads on. */
export const onwardPage = (url: string): Page =>
  paged(
    200,
    "One moment",
    `<p><a rel="noreferrer" href="${escaped(url)}">Go on to the login</a></p>`,
    `<meta http-equiv="refresh" content="0;url=${escaped(url)}">`
  )

export const donePage = (server: string, whose: string): Page =>
  paged(
    200,
    "Your account is connected",
    text(`The calls of ${whose} use your account at ${server} from now on. You can close this page and go back.`)
  )

export const failedPage = (status: number, words: string): Page =>
  paged(status, "Your account is not connected", text(words))

export const gonePage = (): Page =>
  failedPage(
    404,
    "This address is not valid, or not any more: it works once, for a few minutes. Repeat what you wanted to do, and you get a new one."
  )
