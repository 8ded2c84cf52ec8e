/** Clients of both SDKs that log in at an authorization server, for a person who agrees (`oidcProvider.ts`). */
import {
  Client as ModernClient,
  StreamableHTTPClientTransport as ModernHttp,
  UnauthorizedError as ModernUnauthorized
} from "@modelcontextprotocol/client"
import { UnauthorizedError } from "@modelcontextprotocol/sdk/client/auth.js"
import { Client } from "@modelcontextprotocol/sdk/client/index.js"
import { StreamableHTTPClientTransport } from "@modelcontextprotocol/sdk/client/streamableHttp.js"
import { assert } from "@effect/vitest"
import { loggedIn } from "./oidcProvider.ts"

type Loose = ReturnType<typeof JSON.parse>

const REDIRECT = "http://127.0.0.1:1/callback"

/** What a client keeps of its login, and the page that it would show. */
export const makeProvider = () => {
  const kept: Loose = {}
  return {
    kept,
    provider: {
      redirectUrl: REDIRECT,
      clientMetadata: {
        client_name: "a client of the test",
        redirect_uris: [REDIRECT],
        grant_types: ["authorization_code", "refresh_token"],
        response_types: ["code"],
        token_endpoint_auth_method: "none"
      },
      clientInformation: () => kept.client,
      saveClientInformation: (client: unknown) => void (kept.client = client),
      tokens: () => kept.tokens,
      saveTokens: (tokens: unknown) => void (kept.tokens = tokens),
      redirectToAuthorization: (page: URL) => void (kept.page = page),
      saveCodeVerifier: (verifier: string) => void (kept.verifier = verifier),
      codeVerifier: () => kept.verifier
    } as Loose
  }
}

export interface LoginSdk {
  readonly make: () => Loose
  readonly transport: (url: string, authProvider: Loose) => Loose
  readonly isUnauthorized: (error: unknown) => boolean
}

export const SDK_V1: LoginSdk = {
  make: () => new Client({ name: "test", version: "1" }) as Loose,
  transport: (url, authProvider) => new StreamableHTTPClientTransport(new URL(url), { authProvider }) as Loose,
  isUnauthorized: (error) => error instanceof UnauthorizedError
}

export const SDK_V2: LoginSdk = {
  make: () => new ModernClient({ name: "test", version: "1" }) as Loose,
  transport: (url, authProvider) => new ModernHttp(new URL(url), { authProvider }) as Loose,
  isUnauthorized: (error) => error instanceof ModernUnauthorized
}

/** As a client goes: refused, sent to the login, and back with the code. What it keeps then, and with what it comes in. */
export const logIn = async (
  url: string,
  { isUnauthorized, make, transport }: LoginSdk,
  { kept, provider } = makeProvider()
) => {
  const first = transport(url, provider)
  await make()
    .connect(first)
    .then(
      () => assert.fail("it was let in without a token"),
      (error: unknown) => assert.isTrue(isUnauthorized(error), String(error))
    )
  const { code, iss } = await loggedIn(kept.page, REDIRECT)
  await first.finishAuth(code, iss)
  return { kept, provider }
}
