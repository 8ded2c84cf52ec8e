/** What is typed at a question for a server. */
import { assert, describe, it } from "@effect/vitest"
import * as Result from "effect/Result"
import { isNone, serverTyped } from "../../../../src/programs/cli/getting/serverTyped.ts"

const typed = (line: string) => Result.getOrThrow(serverTyped(line))

describe("a line", () => {
  it("is a command, an address, or a name", () => {
    assert.deepInclude(typed("npx -y some-server@1.2.3"), { words: ["npx", "-y", "some-server@1.2.3"], url: undefined })
    assert.deepInclude(typed("https://mcp.example.com/mcp"), { words: [], url: "https://mcp.example.com/mcp" })
    assert.deepStrictEqual(typed("io.github.user/server"), { what: "io.github.user/server", words: [], url: undefined })
  })

  it("is refused where a shell would read it in another way", () => {
    for (const line of ["npx server '/my folder'", 'npx server "a b"', "npx server /my\\ folder"])
      assert.isTrue(Result.isFailure(serverTyped(line)), line)
    assert.deepInclude(typed("it's.mcpb"), { what: "it's.mcpb" })
  })

  it("that is none of these is answered with what there is at this question", () => {
    const refused = serverTyped("memory")
    assert.isTrue(Result.isFailure(refused))
    assert.strictEqual(
      Result.isFailure(refused) ? refused.failure : "",
      "'memory' is not a name of the registry, an address, a .mcpb file, or a command with arguments; Enter alone adds none"
    )
  })

  it("adds none if it is empty or says so", () => {
    for (const line of ["", " ", "n", "No", "none"]) assert.isTrue(isNone(line), line)
    for (const line of ["npx n", "io.github.user/none"]) assert.isFalse(isNone(line), line)
  })
})
