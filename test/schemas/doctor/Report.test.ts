/** What a report for a bug report shows of a configuration, and what it masks. */
import { assert, describe, it } from "@effect/vitest"
import { anonymous, hiddenValues, mapTexts, maskedAddress, maskedServer } from "../../../src/schemas/doctor/Report.ts"
import { type Launch, serverConfig } from "../../../src/schemas/connection/ServerConfig.ts"

const CANARY = "canary-4f9a1c77e2"

const shown = (launch: Launch) => JSON.stringify(maskedServer(serverConfig("s", launch)))
const stdio = (args: ReadonlyArray<string>, env: Readonly<Record<string, string>> = {}): Launch => ({
  kind: "stdio",
  command: "npx",
  args,
  env,
  cwd: undefined
})

describe("the report of doctor", () => {
  it("shows names of variables and headers, never their values", () => {
    const local = shown(stdio(["-y", "@x/y@1.2.3"], { API_KEY: CANARY, MODE: "fast" }))
    assert.include(local, '"API_KEY":"[masked]"')
    assert.include(local, '"MODE":"[masked]"')
    const remote = shown({ kind: "http", url: "https://x.example/mcp", headers: { "X-Team": CANARY } })
    assert.include(remote, '"X-Team":"[masked]"')
    for (const text of [local, remote]) assert.notInclude(text, CANARY)
  })

  it("shows flags, the package and scripts of the arguments, and masks the rest", () => {
    assert.include(shown(stdio(["-y", "@x/y@1.2.3", "--verbose"])), '["-y","@x/y@1.2.3","--verbose"]')
    assert.include(shown(stdio(["dist/index.js", "stdio"])), '["dist/index.js","stdio"]')
    for (const args of [
      ["-y", "@x/y", "run", CANARY],
      ["--otp", CANARY, "@x/y"],
      ["-y", "@x/y", CANARY],
      ["--token", CANARY],
      [`--token=${CANARY}`],
      ["--token", "word"],
      ["-y", "@x/y", "word"],
      [`postgres://me:${CANARY}@db/x`],
      [`-p${CANARY}`],
      [`-H`, `Authorization: Bearer ${CANARY}`]
    ]) {
      const text = shown(stdio(args))
      assert.notInclude(text, CANARY)
      assert.notInclude(text, '"word"')
    }
  })

  it("shows the host and the plain parts of an address", () => {
    assert.strictEqual(maskedAddress("https://x.example:8443/v1/mcp"), "https://x.example:8443/v1/mcp")
    assert.strictEqual(
      maskedAddress(`https://me:${CANARY}@x.example/s/${CANARY}/mcp?key=${CANARY}#${CANARY}`),
      "https://x.example/s/[masked]/mcp?[masked]"
    )
    assert.strictEqual(maskedAddress("no address"), "[masked]")
  })

  it("knows the masked values, so that they are masked where servers repeat them, but no common word", () => {
    const local = serverConfig(
      "s",
      stdio(["-y", "@x/y", `--key=${CANARY}`, `-p${CANARY}5`, "verbose"], { A: `${CANARY}2`, MODE: "production" })
    )
    assert.includeMembers([...hiddenValues(local)], [CANARY, `${CANARY}2`, `${CANARY}5`])
    // A credential may look like a common word.
    const words = hiddenValues(
      serverConfig("s", stdio(["-y", "@x/y", "--password", "correcthorse", "--mode", "production"]))
    )
    assert.include(words, "correcthorse")
    assert.notInclude(words, "production")
    for (const word of ["verbose", "production", "@x/y"]) assert.notInclude(hiddenValues(local), word)
    const remote: Launch = {
      kind: "http",
      url: `https://x.example/s/${CANARY}?key=${CANARY}3`,
      headers: { Authorization: `Bearer ${CANARY}4` }
    }
    assert.includeMembers([...hiddenValues(serverConfig("s", remote))], [CANARY, `${CANARY}3`, `${CANARY}4`])
  })

  it("names neither the home directory, nor the user, nor the machine", () => {
    const safe = anonymous({ home: "/home/ada", user: "ada", host: "lovelace" })
    assert.strictEqual(safe("/home/ada/x of ada@lovelace, Canada"), "~/x of USER@HOST, Canada")
    // Users of this name are nobody, and it is a word of other texts.
    assert.strictEqual(anonymous({ home: "/", user: "node", host: "" })("node /x"), "node /x")
  })

  it("changes every text of a value, and no name", () => {
    const upper = (text: string) => text.toUpperCase()
    assert.deepStrictEqual(mapTexts({ a: ["b", { c: "d" }], e: 1, f: null }, upper), {
      a: ["B", { c: "D" }],
      e: 1,
      f: null
    })
  })
})
