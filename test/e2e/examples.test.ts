/** The examples of docs/any-agent-loop.md, run as their first lines say, with the package as users get it. */
import { assert, describe, it } from "@effect/vitest"
import { execFile } from "node:child_process"
import { fileURLToPath } from "node:url"
import { promisify } from "node:util"

const PROJECT = fileURLToPath(new URL("../../", import.meta.url))

const node = (...args: ReadonlyArray<string>) => promisify(execFile)(process.execPath, [...args], { cwd: PROJECT })

describe("the examples", () => {
  it("plain JavaScript lists the tools, calls one, closes, and the process ends by itself", async () => {
    const { stdout } = await node("examples/tools-for-any-loop.mjs")
    assert.match(stdout, /^files__list_directory: /m)
    assert.notInclude(stdout, "files__write_file")
    assert.match(stdout, /the model reads:\n<<<EXTERNAL_UNTRUSTED_CONTENT[^]*release-checklist\.md[^]*<<<END_/)
  })

  it("the AI SDK's loop calls our tools, and its model reads the results", async () => {
    const { stdout } = await node("--import", "tsx", "examples/ai-sdk.ts")
    assert.match(stdout, /^user: /)
    assert.match(stdout, /model calls filesystem__read_text_file[^]*Without Mara's go-ahead there is no release/)
    assert.match(stdout, /model: [^\n]*\n$/)
  })
})
