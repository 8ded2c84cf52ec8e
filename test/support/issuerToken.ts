/** Access tokens of an issuer for MCP clients of whoever logs in there. */
import * as Effect from "effect/Effect"
import { createHash, randomBytes } from "node:crypto"
import { makeBrowser } from "./browser.ts"
import type { Loose } from "../integration/serve/program.ts"

const REDIRECT = "http://127.0.0.1:1/callback"

/** A token of the issuer for a client of whoever logs in there now. */
export const tokenAt = (issuer: string, resource: string) =>
  Effect.promise(async () => {
    const post = async (url: string, body: string, type: string): Promise<Loose> =>
      (await fetch(url, { method: "POST", headers: { "content-type": type }, body })).json()
    const client = await post(
      `${issuer}/reg`,
      JSON.stringify({
        redirect_uris: [REDIRECT],
        application_type: "native",
        token_endpoint_auth_method: "none",
        response_types: ["code"],
        grant_types: ["authorization_code"]
      }),
      "application/json"
    )
    const verifier = randomBytes(32).toString("base64url")
    const page = new URL(`${issuer}/auth`)
    const asked = {
      client_id: client.client_id,
      response_type: "code",
      redirect_uri: REDIRECT,
      scope: "mcp",
      resource,
      code_challenge: createHash("sha256").update(verifier).digest("base64url"),
      code_challenge_method: "S256"
    }
    for (const [name, value] of Object.entries(asked)) page.searchParams.set(name, value)
    const back = await makeBrowser().open(page.href, (at) => at.href.startsWith(REDIRECT))
    const form = new URLSearchParams({
      grant_type: "authorization_code",
      client_id: client.client_id,
      redirect_uri: REDIRECT,
      code: new URL(back.url).searchParams.get("code")!,
      code_verifier: verifier,
      resource
    })
    const { access_token: token } = await post(`${issuer}/token`, form.toString(), "application/x-www-form-urlencoded")
    return token as string
  })
