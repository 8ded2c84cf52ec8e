/** What a client's file says is the same after it was taken, written for that client, and taken again. */
import { assert, describe, it } from "@effect/vitest"
import * as Result from "effect/Result"
import JSON5 from "json5"
import { mkdtempSync, readFileSync, rmSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { parse as parseToml } from "smol-toml"
import { afterAll } from "vitest"
import { parse as parseYaml } from "yaml"
import { type ClientName, CLIENTS } from "../../../../src/schemas/config/clients/ClientNames.ts"
import { withFolder } from "../../../../src/schemas/config/clients/ImportPlan.ts"
import { FORMATS, readClientFile } from "../../../../src/schemas/config/clients/ReadClient.ts"
import { giveServer } from "../../../../src/schemas/config/clients/WriteClient.ts"
import { clientText } from "../../../../src/programs/cli/clients/clientText.ts"
import { type Home, writeHome } from "../../../fixtures/clients/home.ts"

const folder = mkdtempSync(join(tmpdir(), "mcp-live-test-"))
afterAll(() => rmSync(folder, { recursive: true, force: true }))
const { files, home }: Home = writeHome(folder)

const parsers: Partial<Record<ClientName, (text: string) => unknown>> = { codex: parseToml, goose: parseYaml }
const parse = (client: ClientName, text: string): unknown => (parsers[client] ?? JSON5.parse)(text)

const context = { home, folder: "/", workspace: "/work", readText: () => undefined }
const exec = Result.succeed({ command: "/node", args: ["/mcp-live.js", "exec"], env: { MCP_LIVE_HOME: "/data" } })
const write = { home, directory: "/etc", file: "/etc/openclaw.json", exec }

/** Without members that are not set. */
const plain = (value: unknown): unknown => JSON.parse(JSON.stringify(value))

const entriesIn = (client: ClientName, value: unknown) =>
  new Map(
    readClientFile(client, value, context)
      .servers.filter(({ project }) => project === undefined)
      .map(({ entry, name }) => [name, withFolder(entry, context.workspace).entry])
  )

/** `secret://` in the headers of a server elsewhere is for `--serve`, and a disabled one needs a key for that. */
const NOT_WRITTEN: Partial<Record<ClientName, ReadonlyArray<string>>> = {
  opencode: ["jira"],
  gemini: ["sleeping"],
  vscode: []
}

describe("servers of a client stay the same after import, export and import", () => {
  it.each(CLIENTS)("%s", async (client) => {
    const text = readFileSync(files[client], "utf8")
    const first = entriesIn(client, parse(client, text))
    assert.isAbove(first.size, 0)
    const given = [...first].map(([name, entry]) => [name, giveServer(client, name, entry, write)] as const)
    const left = given.filter(([, one]) => "left" in one).map(([name]) => name)
    // Defaults have no variable there.
    const expectedLeft = client === "vscode" ? ["perplexity"] : (NOT_WRITTEN[client] ?? [])
    assert.deepStrictEqual(left, expectedLeft)
    const lost = given.flatMap(([name, one]) => ("left" in one ? [] : one.lost.map((key) => `${name}: ${key}`)))
    // In OpenCode this is not in the entry, but beside it.
    assert.deepStrictEqual(lost, client === "opencode" ? ["everything: tools.exclude", "everything: tools.ask"] : [])
    const entries = Object.fromEntries(given.flatMap(([name, one]) => ("left" in one ? [] : [[name, one.entry]])))
    const { entryIn, whole, withEntry } = await clientText(client)
    const { section } = FORMATS[client]
    const second = entriesIn(client, parse(client, whole(section, entries)))
    for (const [name, entry] of second) {
      const wanted = first.get(name)
      const kept = client === "opencode" ? { ...wanted, tools: undefined } : wanted
      assert.deepStrictEqual(plain(entry), plain(kept), name)
    }
    assert.deepStrictEqual(
      [...second.keys()],
      [...first.keys()].filter((name) => !left.includes(name))
    )

    // Into the file itself: nothing else in it changes.
    const name = "mcp-live-test"
    const entry = { ...Object.values(entries)[0] }
    const edited = Result.getOrThrow(withEntry(text, section, name, entry))
    assert.deepStrictEqual(entryIn(edited, section, name), JSON.parse(JSON.stringify(entry)))
    for (const comment of text.match(/(?:\/\/|#|\/\*) [a-zA-Z ]+/g) ?? []) assert.include(edited, comment)
    const again = Result.getOrThrow(withEntry(edited, section, name, { ...entry, args: ["other"] }))
    assert.deepStrictEqual(Result.getOrThrow(withEntry(again, section, name, entry)), edited)
  })
})
