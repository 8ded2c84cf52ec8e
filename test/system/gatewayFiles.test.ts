/** The files of running gateways: who is found, and what is removed. */
import { assert, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import { chmodSync, existsSync, readdirSync, readFileSync, statSync, symlinkSync, writeFileSync } from "node:fs"
import { dirname, join } from "node:path"
import { CONTROL_CONTRACT, type RunningGateway } from "../../src/schemas/control/Gateway.ts"
import { findGateways, foreignFolder, makePlace } from "../../src/system/gatewayFiles.ts"
import { inFolder } from "../support/folder.ts"

const self: RunningGateway = {
  contract: CONTROL_CONTRACT,
  version: "0.1.0",
  kind: "start",
  pid: process.pid,
  startedAt: 5,
  configuration: null
}

/** No process has this number: the system gives smaller ones. */
const NOBODY = 2_147_483_646

const announced = Effect.gen(function* () {
  const folder = yield* inFolder
  const place = makePlace(folder)
  yield* Effect.promise(() => place.announce(self))
  const name = readdirSync(join(folder, "gateways")).find((one) => one.endsWith(".json"))
  const file = join(folder, "gateways", name!)
  return { folder, place, file, find: Effect.promise(() => findGateways(folder)) }
})

describe.skipIf(process.platform === "win32")("the files of running gateways", () => {
  it.live("are none where the data directory is a file, or below one", () =>
    Effect.gen(function* () {
      const file = join(yield* inFolder, "file")
      writeFileSync(file, "")
      for (const directory of [file, join(file, "below"), join(file, "..", "missing")]) {
        assert.isUndefined(foreignFolder(directory), directory)
        assert.deepStrictEqual(yield* Effect.promise(() => findGateways(directory)), [], directory)
      }
    }).pipe(Effect.scoped)
  )

  it.live("announce a gateway to this user until it is withdrawn", () =>
    Effect.gen(function* () {
      const { file, find, place } = yield* announced
      assert.deepStrictEqual(yield* find, [{ ...self, socket: place.socket }])
      assert.strictEqual(statSync(file).mode & 0o777, 0o600)
      assert.strictEqual(statSync(dirname(file)).mode & 0o777, 0o700)
      yield* Effect.promise(place.withdraw)
      assert.deepStrictEqual(yield* find, [])
    }).pipe(Effect.scoped)
  )

  it.live("of a process that has ended are removed with their sockets, and no other file is", () =>
    Effect.gen(function* () {
      const { file, find, folder } = yield* announced
      const dead = join(folder, "gateways", `${NOBODY}-0123456789ab`)
      const written = JSON.parse(readFileSync(file, "utf8")) as { owner: object }
      const of = (socket: string) =>
        JSON.stringify({ ...written, socket, owner: { ...written.owner, pid: NOBODY, started: "1" } })
      writeFileSync(`${dead}.json`, of(`${dead}.sock`))
      writeFileSync(`${dead}.sock`, "")
      const precious = join(folder, `${NOBODY}-ba9876543210.sock`)
      writeFileSync(precious, "not a socket of ours")
      const lying = join(folder, "gateways", `${NOBODY}-ffffffffffff.json`)
      writeFileSync(lying, of(precious))
      assert.strictEqual((yield* find).length, 1)
      assert.deepStrictEqual([`${dead}.json`, `${dead}.sock`, lying].filter(existsSync), [])
      assert.isTrue(existsSync(precious))
    }).pipe(Effect.scoped)
  )

  it.live("of an ended process are removed when the next gateway announces itself", () =>
    Effect.gen(function* () {
      const folder = yield* inFolder
      makePlace(folder)
      const left = join(folder, "gateways", `${NOBODY}-0123456789ab.json`)
      writeFileSync(left, "{}")
      const place = makePlace(folder)
      yield* Effect.promise(() => place.announce(self))
      assert.isFalse(existsSync(left))
    }).pipe(Effect.scoped)
  )

  it.live("are removed when another process has the process ID by now", () =>
    Effect.gen(function* () {
      const { file, find } = yield* announced
      const written = JSON.parse(readFileSync(file, "utf8")) as { owner: object }
      writeFileSync(file, JSON.stringify({ ...written, owner: { ...written.owner, started: "1" } }))
      assert.deepStrictEqual(yield* find, [])
      assert.isFalse(existsSync(file))
    }).pipe(Effect.scoped)
  )

  it.live("of another machine in a shared data directory are ignored and kept", () =>
    Effect.gen(function* () {
      const { file, find } = yield* announced
      const written = JSON.parse(readFileSync(file, "utf8")) as { owner: object }
      writeFileSync(file, JSON.stringify({ ...written, owner: { ...written.owner, host: "elsewhere" } }))
      assert.deepStrictEqual(yield* find, [])
      assert.isTrue(existsSync(file))
    }).pipe(Effect.scoped)
  )

  it.live("are ignored when they are links, damaged or writable by others", () =>
    Effect.gen(function* () {
      const { file, find, folder } = yield* announced
      const beside = (name: string) => join(folder, "gateways", `${process.pid}-${name}.json`)
      symlinkSync(file, beside("aaaaaaaaaaaa"))
      writeFileSync(beside("bbbbbbbbbbbb"), "{")
      writeFileSync(beside("cccccccccccc"), readFileSync(file))
      chmodSync(beside("cccccccccccc"), 0o666)
      assert.strictEqual((yield* find).length, 1)
      assert.isTrue(existsSync(beside("bbbbbbbbbbbb")))
    }).pipe(Effect.scoped)
  )

  it.live("cannot be made where the path of the socket would be too long", () =>
    Effect.gen(function* () {
      const deep = join(yield* inFolder, "d".repeat(120))
      assert.throws(() => makePlace(deep), /longer than the 103 bytes that a socket may have/)
    }).pipe(Effect.scoped)
  )
})
