import { assert, describe, it } from "@effect/vitest"
import { createHash } from "node:crypto"
import { looksRandom } from "../../../src/schemas/secret/RandomLook.ts"

/** The same bytes each time, and random ones all the same. */
const bytes = (of: string): Buffer => createHash("sha512").update(of).digest()
const hex = (chars: number, of: string): string => bytes(of).toString("hex").slice(0, chars)
const url64 = (chars: number, of: string): string => bytes(of).toString("base64url").slice(0, chars)
const written = (alphabet: string, chars: number, of: string): string =>
  Array.from(Buffer.concat([bytes(of), bytes(`${of}+`)]))
    .slice(0, chars)
    .map((byte) => alphabet[byte % alphabet.length])
    .join("")
const SMALL = "abcdefghijklmnopqrstuvwxyz"
const LETTERS = `${SMALL}${SMALL.toUpperCase()}`
const letters = (chars: number, of: string) => written(`${LETTERS}0123456789`, chars, of)
const uuid = (of: string) => hex(32, of).replace(/^(.{8})(.{4})(.{4})(.{4})/, "$1-$2-$3-$4-")
const part = (value: unknown) => Buffer.from(JSON.stringify(value)).toString("base64url")
const jwt = (of: string) =>
  `${part({ alg: "HS256", typ: "JWT" })}.${part({ sub: "1234567890", name: "Ada", iat: 1_516_239_022 })}.${url64(43, of)}`

/** How those who give tokens write them. */
const FORMATS: ReadonlyArray<readonly [string, (of: string) => string]> = [
  ["JWT (HS256)", jwt],
  ["JWT (RS256), as Cognito, Entra and Keycloak give them", (of) => `${jwt(of)}${url64(86, `${of}1`)}`],
  ["PASETO", (of) => `v2.local.${url64(86, of)}`],
  ["GitHub, of a user", (of) => `gho_${letters(36, of)}`],
  ["GitHub, of an app", (of) => `ghu_${letters(36, of)}`],
  ["GitHub, refresh", (of) => `ghr_${letters(76, of)}`],
  ["GitHub, fine-grained", (of) => `github_pat_11${written("ABCDEFGHIJ0123456789", 20, of)}_${letters(59, `${of}1`)}`],
  ["GitLab", (of) => hex(64, of)],
  ["Slack, of a bot", (of) => `xoxb-2345678901234-2345678901235-${letters(24, of)}`],
  [
    "Slack, rotated",
    (of) =>
      `xoxe.xoxp-1-${Buffer.from(`2-2-2345678901234-2345678901235-${hex(64, of)}`)
        .toString("base64")
        .replace(/=+$/, "")}`
  ],
  ["Google, access", (of) => `ya29.a0${url64(86, of)}${url64(86, `${of}1`)}`],
  ["Google, refresh", (of) => `1//0g${url64(80, of)}`],
  ["Google, secret of a client", (of) => `GOCSPX-${url64(28, of)}`],
  ["AWS, secret key", (of) => bytes(of).toString("base64").slice(0, 40)],
  ["AWS, session", (of) => `IQoJb3JpZ2luX2VjE${bytes(of).toString("base64")}${bytes(`${of}1`).toString("base64")}`],
  ["Auth0 and Okta, opaque", (of) => url64(32, of)],
  ["Ory Hydra", (of) => `ory_at_${url64(43, of)}.${url64(43, `${of}1`)}`],
  ["Linear", (of) => `lin_oauth_${hex(64, of)}`],
  ["Notion", (of) => `ntn_${letters(46, of)}`],
  ["Stripe", (of) => `sk_live_51${letters(97, of)}`],
  ["HubSpot", (of) => `pat-na1-${uuid(of)}`],
  ["Asana, refresh", (of) => `2/1201234567890123/1209876543210987:${hex(32, of)}`],
  ["Sentry", (of) => hex(64, of)],
  ["npm", (of) => `npm_${letters(36, of)}`],
  ["Discord", (of) => letters(30, of)],
  ["Laravel Sanctum", (of) => `12|${letters(40, of)}`],
  ["DigitalOcean", (of) => `doo_v1_${hex(64, of)}`],
  ["randomUUID(), as Spring and the demo of the SDK", uuid],
  ["token_urlsafe(32), as Doorkeeper and oidc-provider", (of) => url64(43, of)],
  ["token_hex(16)", (of) => hex(32, of)],
  ["base64 of hex", (of) => Buffer.from(hex(32, of)).toString("base64")],
  ["with a word in front", (of) => `access-${hex(32, of)}`],
  ["as long as a token may be", (of) => Array.from({ length: 380 }, (_, n) => url64(43, `${of}-${n}`)).join("")]
]

/** What an enemy would like to have withheld from others, and what stands in their texts every day. */
const ORDINARY = [
  "README.md",
  "content",
  "https:/",
  "honest",
  "arguments",
  "x",
  "path",
  "application/vnd.openxmlformats-officedocument.spreadsheetml.sheet",
  "https://example.com/a",
  "https://api.github.com/repos/modelcontextprotocol/typescript-sdk/issues/1234/comments",
  "/home/ada/projects/mcp-live/src/layers/login/Authorizer/suppliedAddresses.ts",
  "C:\\Users\\ada\\Documents\\Report2026Q3.docx",
  "ada.lovelace2026@mail.example.com",
  "claude-sonnet-4-5-20250929",
  "gpt-4o-mini-2024-07-18",
  "2026-11-23T08:00:00.000Z",
  "20240806T101530.123456Z",
  "1763912345678",
  "00000000-0000-0000-0000-000000000000",
  "0".repeat(40),
  "4111111111111111111111",
  "DE89370400440532013000",
  "ip-10-0-0-12.eu-central-1.compute.internal",
  "arn:aws:iam::123456789012:role/AdministratorAccess2",
  "s3bucketeuwest1prod2024",
  "getElementsByTagNameNS2",
  "OAuth2AuthorizationServerConfigurer",
  "insecureSkipTLSVerify",
  "XMLHttpRequestEventTarget",
  "networking.k8s.io/v1beta1",
  "utf8-to-base64-v2-x86",
  "nginx-deployment-66b6c48dd5-7tqzv",
  "AKIAIOSFODNN7EXAMPLE",
  "test-token-1763912345678",
  // What every document, key or token of its kind begins with.
  part({ alg: "HS256", typ: "JWT" }),
  part({ alg: "RS256", typ: "JWT" }).slice(1),
  "iVBORw0KGgoAAAANSUhEUgAA",
  "AAAAB3NzaC1yc2EAAAADAQABAAABAQ",
  "UEsDBBQABgAIAAAAIQ",
  Buffer.from("# Notes of the meeting\nAda said that the engine").toString("base64"),
  // No header carries it, and each line would be one secret.
  `${hex(64, "a")}\npassword: README.md`,
  `${hex(64, "a")} README.md`,
  ""
]

describe("what looks random", () => {
  const SAMPLES = 200
  for (const [format, make] of FORMATS) {
    it(`a token: ${format}`, () => {
      const missed = Array.from({ length: SAMPLES }, (_, n) => make(`${format} ${n}`)).filter(
        (one) => !looksRandom(one)
      )
      // By chance some tokens of few characters look like words.
      assert.isAtMost(missed.length, SAMPLES / 25, missed.join("\n"))
    })
  }
})

describe("what does not look random", () => {
  for (const text of ORDINARY) it(JSON.stringify(text.slice(0, 80)), () => assert.isFalse(looksRandom(text)))

  it("words beside a random part do not look random", () => {
    const random = hex(64, "a")
    const words = "/home/ada/projects/notes-of-the-meeting/about-the-engine/README.md"
    assert.isTrue(looksRandom(`${random}${words.slice(0, 40)}${random}`))
    for (const text of [`${random}${words}`, `${words}${random}`, `${random}${words}${random}`]) {
      assert.isFalse(looksRandom(text))
    }
  })
})
