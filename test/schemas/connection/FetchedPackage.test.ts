import { assert, describe, it } from "@effect/vitest"
import { fetchedPackage, fetcherOf } from "../../../src/schemas/connection/FetchedPackage.ts"

describe("a command that fetches what it starts", () => {
  const cases: ReadonlyArray<readonly [line: string, fetcher: string | undefined, written: string | undefined]> = [
    ["npx -y some-server@1.2.3", "npx", "some-server@1.2.3"],
    ["C:\\bin\\npx.cmd some-server", "npx", "some-server"],
    ["npm --prefix /a exec some-server", "npm exec", "some-server"],
    ["npm --yes x some-server", "npm x", "some-server"],
    ["bun x some-server", "bun x", "some-server"],
    ["uv --quiet tool run some-server", "uv tool run", "some-server"],
    ["uvx --from some-package some-server", "uvx", "some-package"],
    // It fetches what the file names.
    ["uv run server.py", "uv run", undefined],
    ["npx ./server", "npx", undefined],
    ["npm start exec", undefined, undefined],
    ["bun run x", undefined, undefined],
    ["uv tool install run", undefined, undefined],
    ["node server.js", undefined, undefined]
  ]
  for (const [line, fetcher, written] of cases) {
    it(`'${line}' is known`, () => {
      const [command = "", ...args] = line.split(" ")
      assert.strictEqual(fetcherOf(command, args), fetcher)
      assert.strictEqual(fetchedPackage(command, args)?.written, written)
    })
  }
})
