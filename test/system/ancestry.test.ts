import { assert, describe, it } from "@effect/vitest"
import { execFileSync, spawn } from "node:child_process"
import { once } from "node:events"
import { createServer, type AddressInfo } from "node:net"
import { fileURLToPath } from "node:url"
import { meantBy } from "../../src/programs/cli/running/choice.ts"
import type { Found } from "../../src/system/gatewayFiles.ts"
import { handedOverBy, listenersIn, listensAbove } from "../../src/system/ancestry.ts"

const MODULE = fileURLToPath(new URL("../../src/system/ancestry.ts", import.meta.url))
const TABLE = `  sl  local_address rem_address   st tx_queue rx_queue tr tm->when retrnsmt   uid  timeout inode
   0: 0100007F:1E33 00000000:0000 0A 00000000:00000000 00:00000000 00000000     0        0 4242 1 0000000000000000 100
   1: 0100007F:1E33 0100007F:9C40 01 00000000:00000000 00:00000000 00000000     0        0 4243 1 0000000000000000 100
   2: 0100007F:0016 00000000:0000 0A 00000000:00000000 00:00000000 00000000     0        0 4244 1 0000000000000000 100
`

describe("ancestors that listen on a port", () => {
  it("are read from the sockets in the table that listen on this port", () => {
    assert.deepStrictEqual(listenersIn(TABLE, 0x1e33), ["4242"])
    assert.deepStrictEqual(listenersIn(TABLE, 1), [])
    assert.deepStrictEqual(listenersIn("", 1), [])
  })

  it.skipIf(process.platform !== "linux")(
    "are found above a shell in between, and siblings are not counted",
    async () => {
      const server = createServer().listen(0, "127.0.0.1")
      await once(server, "listening")
      const { port } = server.address() as AddressInfo
      const ask = (at: number) =>
        `import { listensAbove } from ${JSON.stringify(MODULE)}; process.stdout.write(String(listensAbove(${at})))`
      const shell = (at: number) =>
        execFileSync("/bin/sh", ["-c", `"$0" --input-type=module -e "$1"; true`, process.execPath, ask(at)], {
          encoding: "utf8",
          stdio: ["ignore", "pipe", "ignore"]
        })
      assert.strictEqual(shell(port), "true")
      server.close()
      await once(server, "close")
      assert.strictEqual(shell(port), "false")
      const sibling = spawn(
        process.execPath,
        [
          "-e",
          `require("net").createServer().listen(0, "127.0.0.1", function () { console.log(this.address().port) })`
        ],
        { stdio: ["ignore", "pipe", "ignore"] }
      )
      const [text] = (await once(sibling.stdout, "data")) as [Buffer]
      assert.strictEqual(shell(Number(text.toString())), "false")
      sibling.kill("SIGKILL")
    }
  )

  it("are not looked for on other systems than Linux", () => {
    assert.isFalse(listensAbove(1, "darwin"))
  })
})

describe.skipIf(process.platform !== "linux")("the process that handed over to another one", () => {
  /** `-e CODE FIRST SECOND` starts `-e CODE SECOND SECOND`. */
  const START = `const { spawn } = require("node:child_process")
    const [second] = process.argv.slice(2)
    if (process.send === undefined) spawn(process.execPath, ["-e", process.execArgv[1], second, second], { stdio: ["ignore", "inherit", "inherit", "ipc"] })
    else { console.log(process.pid); setInterval(() => {}, 1000) }`

  it("has the same words; any other parent has not handed over", async () => {
    for (const first of ["serve", "start"]) {
      const parent = spawn(process.execPath, ["-e", START, first, "serve"], { stdio: ["ignore", "pipe", "inherit"] })
      const [text] = (await once(parent.stdout, "data")) as [Buffer]
      const child = Number(text.toString())
      const found = [handedOverBy(child), handedOverBy(parent.pid!)]
      process.kill(child, "SIGKILL")
      parent.kill("SIGKILL")
      assert.deepStrictEqual(found, [first === "serve" ? parent.pid : 0, 0])
    }
  })

  it("so a gateway is not named by the number of any parent", () => {
    const gateway = { pid: process.pid } as Found
    assert.strictEqual(meantBy([gateway], process.ppid), process.ppid)
    assert.strictEqual(meantBy([gateway], process.pid), process.pid)
  })
})
