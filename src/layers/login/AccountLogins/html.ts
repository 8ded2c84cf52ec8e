/** What the pages say, in plain words. No script, nothing of anybody else, and every name is escaped. */

import { escaped, paged, paragraph as text, type Page } from "../../../system/plainPage.ts"

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
