/** What others, or an accident, may put in the place of files of the data directory: nobody waits for it, and it fills no memory. */
import { assert, describe, it } from "@effect/vitest"
import { execFileSync } from "node:child_process"
import { lstatSync, mkdtempSync, rmSync, symlinkSync, truncateSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { makeOwnDirectory } from "../../src/system/ownFiles.ts"

const inFolder = (body: (directory: string) => void) => {
  const directory = mkdtempSync(join(tmpdir(), "mcp-live-strange-"))
  try {
    body(directory)
  } finally {
    rmSync(directory, { recursive: true })
  }
}

/** What a script says on its own: it can be ended when it does not come back. */
const said = (script: string): string =>
  execFileSync(process.execPath, ["--input-type=module", "--eval", script], {
    encoding: "utf8",
    timeout: 20_000,
    stdio: ["ignore", "pipe", "ignore"]
  }).trim()

const moduleOf = (path: string) => JSON.stringify(new URL(`../../src/${path}`, import.meta.url).href)

const moduleIn = (name: string) => JSON.stringify(import.meta.resolve(name))

/** What may stand in the place of a file that is read, and hold up, or fill, whoever reads it. */
const STRANGE: Readonly<Record<string, (path: string) => void>> = {
  "a pipe": (path) => void execFileSync("mkfifo", [path]),
  "a link to a file without end": (path) => symlinkSync("/dev/zero", path),
  "a file of 1.2 GB": (path) => {
    writeFileSync(path, "", { mode: 0o600 })
    truncateSync(path, 1_200_000_000)
  },
  "a file of brackets": (path) => writeFileSync(path, "[".repeat(20_000_000), { mode: 0o600 })
}

/** In megabytes. What `resourceUsage` gives also counts the process that this one was forked from. */
const PRINT_PEAK = `const { peakMb } = await import(${JSON.stringify(new URL("../support/peakMemory.ts", import.meta.url).href)})
          console.log(Math.round(peakMb("self") ?? process.memoryUsage().rss / 1e6))`

describe.skipIf(process.platform === "win32")("a foreign file in place of one of ours", () => {
  for (const [what, put] of Object.entries(STRANGE)) {
    it(`is replaced without waiting where a lock is ${what}`, () =>
      inFolder((directory) => {
        const path = join(directory, "one.jsonl.lock")
        put(path)
        const script = `import { isHeld, take } from ${moduleOf("system/fileLock.ts")}
          const path = ${JSON.stringify(path)}
          console.log(isHeld(path), take(path)._tag)
          ${PRINT_PEAK}`
        const [taken, mb] = said(script).split("\n")
        assert.strictEqual(taken, "false Ours")
        assert.isBelow(Number(mb), 256)
        assert.isTrue(lstatSync(path).isFile())
      }))

    it(`does not delay a device's key where its lock is ${what}`, () =>
      inFolder((directory) => {
        makeOwnDirectory(join(directory, "gateway"))
        const path = join(directory, "gateway", "node-0.pem.lock")
        put(path)
        const script = `import * as Effect from ${moduleIn("effect/Effect")}
          import { nodeDevice } from ${moduleOf("layers/agent/GatewayLink/device.ts")}
          import { readdirSync } from "node:fs"
          const held = setInterval(() => {}, 1000)
          await Effect.runPromise(Effect.scoped(nodeDevice(${JSON.stringify(directory)})))
          clearInterval(held)
          console.log(readdirSync(${JSON.stringify(join(directory, "gateway"))}).join())
          ${PRINT_PEAK}`
        const [left, mb] = said(script).split("\n")
        assert.strictEqual(left, "node-0.pem")
        assert.isBelow(Number(mb), 256)
      }))
  }

  it("is not waited for where the audit log is a pipe", () =>
    inFolder((directory) => {
      execFileSync("mkfifo", [join(directory, "audit.jsonl")])
      const script = `import { makeReader } from ${moduleOf("system/lineReader.ts")}
        const held = setInterval(() => {}, 1000)
        let lines = 0
        const names = { current: "audit.jsonl", rotatedAmong: () => [] }
        const reader = makeReader({ directory: ${JSON.stringify(directory)}, names, parse: JSON.parse, since: undefined })
        for await (const some of reader.next()) lines += some.length
        clearInterval(held)
        console.log(lines)`
      assert.strictEqual(said(script), "0")
    }))
})
