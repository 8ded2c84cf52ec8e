import { assert, describe, it } from "@effect/vitest"
import { inFull } from "../../support/full.ts"
import { isMaskedText, isMaskedUrl } from "../../../src/schemas/secret/MaskedText.ts"

const MASKED = [
  "[REDACTED]",
  "ghp_****************",
  "sk-ab*****wxyz",
  "Bearer [REDACTED]",
  "bearer ***",
  "Basic ********",
  "Authorization: Bearer ***",
  "X-API-Key:[REDACTED]",
  "--token=***",
  "ghp1********",
  "********wxyz",
  "__OPENCLAW_REDACTED__",
  "<redacted>",
  "TOKEN=[REDACTED]",
  "ada:***",
  "postgres://ada:***@db.example/x",
  "https://[REDACTED]@git.example/x",
  "Server=db;User=ada;Password=***;Port=1",
  "host=db password=*** user=ada",
  "a=1&token=***"
]

/** A mask for what bears such a name, and a word for all else. */
const FOR_CREDENTIALS = ["REDACTED", "xxxxxxxx", "XXXXXXXXXX"]
/** The same, and masks in the place of a credential too. */
const AMBIGUOUS = ["***", " *** ", "•••••", "[hidden]", "(masked)", "**secret**"]

const HONEST = [
  "",
  " ",
  "*",
  "**",
  "src/**/*.ts",
  "*.*",
  "a***b",
  "sk-abc***",
  "--glob=**/*.md",
  "--note=*** careful ***",
  "this is [REDACTED] in a sentence of its own",
  "Bearer sk-1234567890",
  "postgres://ada:pw@db.example/x",
  "secret://env/TOKEN",
  "Bearer {secret://env/TOKEN}",
  "a=b=c",
  "REDACTED_DIR=/tmp",
  "true",
  "{secret://aws/prod/db:password}",
  "--mode=REDACTED",
  "/tmp/XXXXXXXXXX",
  ...FOR_CREDENTIALS
]

describe("a masked text", () => {
  it("is a mask as a whole, or in the place of a credential", () => {
    for (const text of MASKED) assert.isTrue(isMaskedText(text), text)
  })

  it("may be a plain word where the name says that a credential belongs", () => {
    for (const text of FOR_CREDENTIALS) {
      assert.isTrue(isMaskedText(text, "API_TOKEN"), text)
      assert.isTrue(isMaskedText(`--password=${text}`), text)
      assert.isTrue(isMaskedUrl(`https://mcp.example/mcp?api_key=${encodeURIComponent(text)}`), text)
      assert.isFalse(isMaskedUrl(`https://mcp.example/REDACTED/${text}?mode=${text}`), text)
    }
    assert.isTrue(isMaskedText("Bearer REDACTED", "Authorization"))
    assert.isTrue(isMaskedText("Authorization: Bearer REDACTED"))
    assert.isFalse(isMaskedText("REDACTED", "LOG_MODE"))
  })

  it("of stars or a word in brackets is a value where no credential is expected", () => {
    for (const text of AMBIGUOUS) {
      for (const name of ["", "STARS", "LOG_FILTER"]) assert.isFalse(isMaskedText(text, name), text)
      assert.isTrue(isMaskedText(text, "API_KEY"), text)
      assert.isTrue(isMaskedText(`Bearer ${text.trim()}`), text)
      assert.isTrue(isMaskedText(`ada:${text.trim()}`), text)
      assert.isFalse(isMaskedText(`--mode=${text}`), text)
    }
  })

  it("is not a text with stars or such words among others", () => {
    for (const text of HONEST) assert.isFalse(isMaskedText(text), text)
  })

  it("in a URL may also be a path segment or percent-encoded", () => {
    for (const url of [
      "https://mcp.example/mcp?token=***",
      "https://mcp.example/mcp?a=1&token=%5BREDACTED%5D#x",
      "https://mcp.example/s/[REDACTED]/mcp",
      "https://mcp.example/s/%5BREDACTED%5D",
      "https://ada:***@mcp.example/",
      "***"
    ]) {
      assert.isTrue(isMaskedUrl(url), url)
    }
    for (const url of [
      "https://mcp.example/mcp",
      "https://mcp.example/a*/b?q=*&r=a%20b",
      "https://mcp.example/%E0%A4%A",
      "https://mcp.example/?glob=**/*.ts",
      "secret://env/URL"
    ]) {
      assert.isFalse(isMaskedUrl(url), url)
    }
  })

  it("is found in linear time", () => {
    const size = inFull(1_000_000, 100_000)
    for (const text of [" ", "=", "://", "://a:", "a=*** ", "*", "%5B", "Bearer ", "a:", ";", "\t"]) {
      const long = text.repeat(size / text.length)
      isMaskedText(long)
      isMaskedText(`${long}x`)
      isMaskedUrl(long)
    }
  })
})
