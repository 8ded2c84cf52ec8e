import { assert, it } from "@effect/vitest"
import { splitWords } from "../../../../../../src/programs/ui/page/views/Configuration/words.ts"

it("splits a command into its words, as one would type it", () => {
  assert.deepStrictEqual(splitWords("  npx -y  @scope/server "), ["npx", "-y", "@scope/server"])
  assert.deepStrictEqual(splitWords(`node "my server.js" --name='a b' x\\ y`), [
    "node",
    "my server.js",
    "--name=a b",
    "x y"
  ])
  assert.deepStrictEqual(splitWords(`say "a \\"b\\" c:\\\\d" ''`), ["say", `a "b" c:\\d`, ""])
  assert.deepStrictEqual(splitWords(`echo $HOME; "open`), ["echo", "$HOME;", "open"])
  assert.isEmpty(splitWords("  "))
})
