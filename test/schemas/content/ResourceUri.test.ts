import { assert, describe, it } from "@effect/vitest"
import * as Schema from "effect/Schema"
import { URI_MAX_CHARS } from "../../../src/schemas/defaults/Texts.ts"
import { makeUriFilter, mayComeFrom } from "../../../src/schemas/content/ResourceUri.ts"

const passes = (glob: string, uri: string) => makeUriFilter([glob]).admits(uri)

const PIECES = ["a", "..", ".", "/", "\\", "%2e", "%2f", "%25", "?", "#", "docs", "file://", "%", "\0", "{", "}", "é"]

/** Once, as a server does. */
const unescaped = (uri: string) => decodeURIComponent(uri.replace(/%(?![0-9a-f]{2})/gi, "%25"))

describe("makeUriFilter", () => {
  it("admits every URI of allowed length without globs", () => {
    const { admits, admitsTemplate } = makeUriFilter([])
    for (const uri of ["file:///etc/passwd", "..", "\0", "%ff", "x".repeat(URI_MAX_CHARS)]) assert.isTrue(admits(uri))
    assert.isFalse(admits("x".repeat(URI_MAX_CHARS + 1)))
    assert.isTrue(admitsTemplate("x://{id}"))
  })

  it("admits a URI that one glob matches wholly", () => {
    const { admits } = makeUriFilter(["file:///docs/*", "db://?/rows"])
    assert.isTrue(admits("file:///docs/a/b.md"))
    assert.isTrue(admits("db://7/rows"))
    for (const uri of ["file:///doc", "file:///etc/docs/a", "xfile:///docs/a", "db://77/rows", "db://7/rows/1", ""]) {
      assert.isFalse(admits(uri), uri)
    }
  })

  it.each([
    ["file:///docs/*", "FILE:///docs/a"],
    ["FILE:///docs/*", "file:///docs/a"],
    ["http://Example.COM/docs/*", "http://eXample.com/docs/a"],
    ["http://host/docs/*", "http://%48OST/docs/a"],
    ["file:///docs/*", "file:///%64ocs/a"],
    ["file:///%64ocs/*", "file:///docs/a"],
    ["file:///my docs/*", "file:///my%20docs/a"],
    ["file:///my%20docs/*", "file:///my docs/a"],
    ["file:///*/é", "file:///x/%C3%A9"],
    ["repo://x/feature%2Fa/*", "repo://x/feature%2fa/b"],
    ["file:///docs/*", "file:///docs/100%.txt"],
    ["file:///docs/*", "file:///docs/a%2520b"],
    ["file:///docs/*", "file:///docs/.hidden"],
    ["file:///docs/*", "file:///docs/a..b"],
    ["urn:*", "URN:isbn:1"]
  ])("two spellings of one URI are the same: %s lets %s through", (glob, uri) => assert.isTrue(passes(glob, uri)))

  it.each([
    ["docs://A/*", "docs://a/x", true],
    ["file:///Docs/*", "file:///docs/x", false],
    ["notes:Isbn*", "notes:isbn1", false],
    ["file://*Report", "file:///a/Report", true]
  ])("only scheme and host have no case: %s, %s", (glob, uri, expected) =>
    assert.strictEqual(passes(glob, uri), expected)
  )

  it.each([
    // Dot segments, in every spelling and everywhere.
    "file:///docs/../etc/passwd",
    "file:///docs/..",
    "file:///docs/./../etc",
    "file:///docs/.",
    "file:///docs/%2e%2e/etc",
    "file:///docs/%2E./etc",
    "file:///docs/.%2e%2fetc",
    "file:///docs%2f..%2fetc",
    "file:///docs/%252e%252e/etc",
    "file:///docs/%25252e%25252e/etc",
    "file:///docs/..\\etc",
    "file:///docs\\..\\etc",
    "file:///docs/%5c..%5cetc",
    "file:///docs//../../etc",
    "file:///docs/..;/etc",
    "file:///docs/x?/../../etc",
    "file:///docs/x?path=../etc",
    "file:///docs/x#/../etc",
    "file:///docs/x%3f/../etc",
    "file:///docs/.. /etc",
    "file:///docs/.../etc",
    "file:///docs/．．/etc",
    "file:///docs/‥/etc",
    "file:///docs/..／etc",
    // What parsers take out, and where C strings end.
    "file:///docs/.\t./etc",
    "file:///docs/.\n./etc",
    "file:///docs/.%09./etc",
    "file:///docs/a\0.md",
    "file:///docs/a%00.md",
    "file:///docs/a%2500.md",
    "file:///docs/a\u2028b",
    "file:///docs/a ",
    "file:///docs/a%0d%0aX: y",
    // Escapes that are no text.
    "file:///docs/%c0%ae%c0%ae/etc",
    "file:///docs/%ff",
    "file:///docs/%e0%80%ae./etc",
    // Escaped so often that nobody means well.
    `file:///docs/%${"25".repeat(40)}2e%${"25".repeat(40)}2e/etc`
  ])("what servers may read in two ways passes no filter: %s", (uri) => {
    assert.isFalse(passes("file:///docs/*", uri))
    assert.isFalse(passes("*", uri))
  })

  it.each([
    ["docs://public/*", "docs://public%2Fx"],
    ["docs://public/*", "docs://public%252fx/y"],
    ["repo://x/main/*", "repo://x/main%2Fsecret/f"],
    ["repo://x/main/*", "repo://x/%256dain/f"],
    ["http://good/*", "http://good%2f@evil/"],
    ["http://good/*", "http://good\\@evil/"],
    ["http://good/*", "http://evil@good/x"],
    ["http://good/*", "http://good.evil/x"],
    ["file:///docs/*", "file:/docs/a"],
    ["file:///docs/*", "//docs/a"],
    ["file:///docs/*", "file://evil/docs/a"],
    ["a%2Ab", "axxb"],
    ["a%252Ab", "axxb"],
    ["a%3Fb", "axb"],
    ["%ff*", "%ff"]
  ])("a filter is not widened by spelling: %s does not let %s through", (glob, uri) =>
    assert.isFalse(passes(glob, uri))
  )

  it("refuses a URI that is too long", () => {
    assert.isTrue(passes("*", "x".repeat(URI_MAX_CHARS)))
    assert.isFalse(passes("*", "x".repeat(URI_MAX_CHARS + 1)))
  })

  it("reads a percent-encoded wildcard as a literal character", () => {
    assert.isTrue(passes("a%2Ab", "a%2ab"))
  })

  it("admits a template that could give an admitted URI", () => {
    const { admitsTemplate } = makeUriFilter(["db://public/*/rows", "file:///docs/*"])
    for (const template of [
      "db://public/{table}/rows",
      "DB://{+any}",
      "{+uri}",
      "file:///docs/a/{id}",
      "file://{path}"
    ]) {
      assert.isTrue(admitsTemplate(template), template)
    }
    for (const template of ["db://private/{table}", "http://{host}", "file:///etc/{name}"]) {
      assert.isFalse(admitsTemplate(template), template)
    }
  })

  it.prop(
    "neither throws nor admits a dot segment, for any text",
    [Schema.Array(Schema.Literals(PIECES))],
    ([pieces]) => {
      const uri = pieces.join("")
      makeUriFilter([uri]).admits(uri)
      mayComeFrom(uri, uri)
      if (makeUriFilter(["*"]).admits(uri)) assert.notMatch(unescaped(uri), /(?:^|[\\/])\.\.?(?:[\\/]|$)/)
    }
  )
})

describe("mayComeFrom", () => {
  it.each([
    ["test://{id}", "test://1", true],
    ["test://{id}/data", "test://1/data", true],
    ["test://{id}/data", "test://1/other", false],
    ["repo://{owner}/issues/{id}", "repo://me/issues/7", true],
    ["repo://{owner}/issues/{id}", "repo://me/pulls/7", false],
    ["a{x}{y}b", "ab", true],
    ["aba{x}aba", "aba", false],
    ["a{x}bb{y}bbc", "abbc", false],
    ["a{x}bab{y}", "ababbabc", true],
    ["x{a}aab{b}", "xaaabz", true],
    ["file:///{+path}", "file:///a/b/c", true],
    ["http://x/s{?q,page}", "http://x/s?q=1", true],
    ["test://fixed", "test://fixed", true],
    ["test://fixed", "test://fixed2", false],
    ["test://{open", "test://1", false],
    ["{+any}", "whatever", true]
  ])("%s, %s: %s", (template, uri, expected) => assert.strictEqual(mayComeFrom(template, uri), expected))

  it("takes linear time on repetitive text", () => {
    // With a search that starts over after each mismatch this takes minutes.
    const template = `x{a}${"a".repeat(2_000)}b${"a".repeat(2_000)}{z}`
    for (let i = 0; i < 2_000; i++) mayComeFrom(template, `x${"a".repeat(URI_MAX_CHARS - 1)}`)
  })
})
