import { assert, describe, it } from "@effect/vitest"
import { execFileSync } from "node:child_process"
import {
  chmodSync,
  chownSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  symlinkSync,
  utimesSync,
  writeFileSync
} from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import * as Deferred from "effect/Deferred"
import * as Effect from "effect/Effect"
import * as Fiber from "effect/Fiber"
import * as Layer from "effect/Layer"
import * as TestClock from "effect/testing/TestClock"
import * as RedactorLayer from "../../../src/layers/content/Redactor.ts"
import * as TokenStoreLayer from "../../../src/layers/login/TokenStore.ts"
import type { Keychain } from "../../../src/layers/login/TokenStore/keychain.ts"
import { thisProcess, type ProcessOwner } from "../../../src/system/processOwner.ts"
import { NO_CREDENTIALS, type Credentials } from "../../../src/schemas/login/Credentials.ts"
import { LOCK_AGE_MAX_MS } from "../../../src/schemas/defaults/Locks.ts"
import { Redactor } from "../../../src/services/content/Redactor.ts"
import { TokenStore } from "../../../src/services/login/TokenStore.ts"

const IDENTITY = { server: "tickets", resource: "https://tickets.example/mcp" }
const ACCESS = "access-4f9a1c7be2d0583664b1d97a0ce8f325"
const REFRESH = "refresh-b07d3e58a1f64c2990e5d8173ba2c46f"

const credentials = (accessToken: string = ACCESS): Credentials => ({
  ...NO_CREDENTIALS,
  authorization: {
    issuer: "https://issuer.example",
    resource: IDENTITY.resource,
    clientId: "client",
    tokens: { accessToken, tokenType: "Bearer", refreshToken: REFRESH, scopes: [], obtainedAt: 1 }
  }
})

/** Keeps what it is given; `undefined` for none. */
const memoryKeychain = (): Keychain => {
  let kept: string | null = null
  return {
    get: async () => kept,
    set: async (value) => {
      kept = value
    }
  }
}

const inFolder = <A, E>(body: (directory: string) => Effect.Effect<A, E>) =>
  Effect.acquireUseRelease(
    Effect.sync(() => mkdtempSync(join(tmpdir(), "mcp-live-tokens-"))),
    body,
    (directory) => Effect.sync(() => rmSync(directory, { recursive: true, force: true }))
  )

const store = (directory: string, keychain?: Keychain) =>
  TokenStoreLayer.layer({ directory, keychain: async () => keychain }).pipe(Layer.provideMerge(RedactorLayer.layer))

const using =
  (directory: string, keychain?: Keychain) =>
  <A, E>(effect: Effect.Effect<A, E, TokenStore | Redactor>): Effect.Effect<A, E> =>
    Effect.provide(effect, store(directory, keychain), { local: true })

const keep = (kept: Credentials = credentials()) =>
  TokenStore.use(({ modify }) => modify(IDENTITY, () => Effect.succeed({ value: undefined, keep: kept })))
const read = TokenStore.use((tokens) => tokens.read(IDENTITY))

const folderOf = (directory: string) => join(directory, "credentials")
const namesIn = (directory: string) => readdirSync(folderOf(directory))
const fileIn = (directory: string) =>
  join(
    folderOf(directory),
    namesIn(directory).find((name) => name.endsWith(".json"))!
  )

describe("credentials in the TokenStore", () => {
  it.live("are read by the next process, until they are removed", () =>
    inFolder((directory) =>
      Effect.gen(function* () {
        assert.isUndefined(yield* read.pipe(using(directory)))
        yield* keep().pipe(using(directory))
        assert.deepStrictEqual(yield* read.pipe(using(directory)), credentials())
        yield* TokenStore.use(({ remove }) => remove(IDENTITY)).pipe(using(directory))
        assert.isUndefined(yield* read.pipe(using(directory)))
        assert.deepStrictEqual(namesIn(directory), [])
      })
    )
  )

  it.live("belong to one server at one address", () =>
    inFolder((directory) =>
      Effect.gen(function* () {
        yield* keep()
        for (const other of [
          { ...IDENTITY, server: "other" },
          { ...IDENTITY, resource: "https://elsewhere.example/mcp" },
          { ...IDENTITY, account: "person 1" }
        ]) {
          assert.isUndefined(yield* TokenStore.use((tokens) => tokens.read(other)))
          // Also where somebody gave the file another name.
          const text = readFileSync(fileIn(directory), "utf8")
          yield* TokenStore.use(({ modify }) => modify(other, () => Effect.succeed({ value: 0, keep: credentials() })))
          for (const name of namesIn(directory)) writeFileSync(join(folderOf(directory), name), text)
          const error = yield* Effect.flip(TokenStore.use((tokens) => tokens.read(other)))
          assert.match(error.message, /another (?:server|person)'s/)
          yield* TokenStore.use(({ remove }) => remove(other))
        }
      }).pipe(using(directory))
    )
  )

  it.live("are readable by this user only, and replaced as a whole", () =>
    inFolder((directory) =>
      Effect.gen(function* () {
        yield* keep()
        const first = statSync(fileIn(directory))
        yield* keep(credentials("other-0123456789"))
        const second = statSync(fileIn(directory))
        assert.strictEqual(first.mode & 0o777, 0o600)
        assert.strictEqual(second.mode & 0o777, 0o600)
        assert.strictEqual(statSync(folderOf(directory)).mode & 0o777, 0o700)
        assert.notStrictEqual(first.ino, second.ino)
        assert.lengthOf(namesIn(directory), 1)
      }).pipe(using(directory))
    )
  )

  it.live("are closed to others also where their directory was open before", () =>
    inFolder((directory) =>
      Effect.gen(function* () {
        mkdirSync(folderOf(directory))
        chmodSync(folderOf(directory), 0o777)
        yield* keep()
        assert.strictEqual(statSync(folderOf(directory)).mode & 0o777, 0o700)
      }).pipe(using(directory))
    )
  )

  const asRoot = process.getuid?.() === 0

  it.live.skipIf(!asRoot)("are not written into another user's directory, nor read from another user's file", () =>
    inFolder((directory) =>
      Effect.gen(function* () {
        yield* keep()
        chownSync(fileIn(directory), 65_534, 65_534)
        assert.include((yield* Effect.flip(read)).message, "another user")
        chownSync(fileIn(directory), 0, 0)
        chownSync(folderOf(directory), 65_534, 65_534)
        assert.include((yield* Effect.flip(keep())).message, "another user")
      }).pipe(using(directory))
    )
  )

  const strange: ReadonlyArray<readonly [string, (path: string) => void]> = [
    ["a link to one", (path) => (renameSync(path, `${path}.real`), symlinkSync(`${path}.real`, path))],
    ["a pipe that never ends", (path) => (rmSync(path), execFileSync("mkfifo", ["-m", "600", path]))],
    ["a folder", (path) => (rmSync(path), mkdirSync(path))],
    ["one that others can write", (path) => chmodSync(path, 0o666)]
  ]
  for (const [what, make] of strange) {
    it.live(`are not read from ${what} in place of their file`, () =>
      inFolder((directory) =>
        Effect.gen(function* () {
          yield* keep()
          make(fileIn(directory))
          assert.strictEqual((yield* Effect.flip(read))._tag, "TokenStoreFailed")
          assert.strictEqual((yield* Effect.flip(keep()))._tag, "TokenStoreFailed")
        }).pipe(using(directory))
      )
    )

    it.live(`are written without waiting for a lock that is ${what}`, () =>
      inFolder((directory) =>
        Effect.gen(function* () {
          yield* keep()
          const lock = `${fileIn(directory)}.lock`
          writeFileSync(lock, JSON.stringify({ ...thisProcess(), nonce: "left" }))
          make(lock)
          if (what === "a folder") assert.include((yield* Effect.flip(keep())).message, "no lock can be written")
          else yield* keep()
        }).pipe(using(directory))
      )
    )
  }

  it.live("stay as they are when a change fails or keeps nothing", () =>
    inFolder((directory) =>
      Effect.gen(function* () {
        yield* keep()
        const { modify } = yield* TokenStore
        assert.strictEqual(yield* Effect.flip(modify(IDENTITY, () => Effect.fail("no"))), "no")
        assert.strictEqual(yield* modify(IDENTITY, () => Effect.succeed({ value: 7 })), 7)
        assert.deepStrictEqual(yield* read, credentials())
      }).pipe(using(directory))
    )
  )

  for (const [what, text] of [
    ["is damaged", "{"],
    ["is empty", ""],
    ["was written by another version", JSON.stringify({ version: 2, ...IDENTITY, credentials: credentials() })],
    ["holds something else", JSON.stringify({ version: 1, ...IDENTITY, credentials: { clients: 7, wanted: [] } })],
    ["is too large", " ".repeat(300_000)]
  ] as const) {
    it.live(`are not overwritten where the file ${what}`, () =>
      inFolder((directory) =>
        Effect.gen(function* () {
          yield* keep()
          writeFileSync(fileIn(directory), text)
          assert.strictEqual((yield* Effect.flip(read))._tag, "TokenStoreFailed")
          assert.strictEqual((yield* Effect.flip(keep()))._tag, "TokenStoreFailed")
          assert.strictEqual(readFileSync(fileIn(directory), "utf8"), text)
        }).pipe(using(directory))
      )
    )
  }

  it.live("are not written when they would be too large to read", () =>
    inFolder((directory) =>
      Effect.gen(function* () {
        const { authorization } = credentials()
        const wide = (count: number): Credentials => ({
          ...credentials(),
          authorization: {
            ...authorization!,
            tokens: { ...authorization!.tokens!, scopes: Array.from({ length: count }, (_, n) => n.toString(36)) }
          }
        })
        yield* keep(wide(1_000))
        const error = yield* Effect.flip(keep(wide(200_000)))
        assert.include(error.message, "larger than")
        assert.deepStrictEqual(yield* read.pipe(using(directory)), wide(1_000))
      }).pipe(using(directory))
    )
  )

  it.live("are masked by the redactor as soon as they are read", () =>
    inFolder((directory) =>
      Effect.gen(function* () {
        yield* keep().pipe(using(directory))
        const { redact } = yield* Effect.andThen(read, Redactor).pipe(using(directory))
        assert.strictEqual(redact(`${ACCESS} ${REFRESH}`), "[REDACTED] [REDACTED]")
      })
    )
  )

  it.live("can be watched for a change by another process", () =>
    inFolder((directory) =>
      Effect.gen(function* () {
        const changed = yield* TokenStore.use(({ watch }) => watch(IDENTITY))
        yield* keep().pipe(using(directory))
        yield* changed
      }).pipe(using(directory))
    )
  )
})

describe("credentials in the TokenStore, with a keychain", () => {
  it.live("are written encrypted", () =>
    inFolder((directory) =>
      Effect.gen(function* () {
        const keychain = memoryKeychain()
        yield* keep().pipe(using(directory, keychain))
        const text = readFileSync(fileIn(directory), "utf8")
        for (const secret of [ACCESS, REFRESH, "issuer.example"]) assert.notInclude(text, secret)
        assert.deepStrictEqual(yield* read.pipe(using(directory, keychain)), credentials())
        assert.isTrue(yield* TokenStore.use(({ encrypts }) => encrypts).pipe(using(directory, keychain)))
      })
    )
  )

  it.live("cannot be read without the key, and the file stays as it is", () =>
    inFolder((directory) =>
      Effect.gen(function* () {
        const keychain = memoryKeychain()
        yield* keep().pipe(using(directory, keychain))
        const before = readFileSync(fileIn(directory), "utf8")
        for (const other of [undefined, memoryKeychain()]) {
          const error = yield* Effect.flip(read).pipe(using(directory, other))
          assert.include(error.message, "keychain")
          yield* Effect.flip(keep()).pipe(using(directory, other))
        }
        assert.strictEqual(readFileSync(fileIn(directory), "utf8"), before)
      })
    )
  )

  it.live("that were written without a keychain are read, and encrypted with the next change", () =>
    inFolder((directory) =>
      Effect.gen(function* () {
        yield* keep().pipe(using(directory))
        const keychain = memoryKeychain()
        assert.deepStrictEqual(yield* read.pipe(using(directory, keychain)), credentials())
        yield* keep().pipe(using(directory, keychain))
        assert.notInclude(readFileSync(fileIn(directory), "utf8"), ACCESS)
      })
    )
  )

  it.live("are not read when the encrypted file was changed", () =>
    inFolder((directory) =>
      Effect.gen(function* () {
        const keychain = memoryKeychain()
        yield* keep().pipe(using(directory, keychain))
        const file = JSON.parse(readFileSync(fileIn(directory), "utf8")) as { sealed: { data: string } }
        const data = Buffer.from(file.sealed.data, "base64")
        // One letter of the token, so that it would still be one.
        data[JSON.stringify(credentials()).indexOf(ACCESS)]! ^= 1
        file.sealed.data = data.toString("base64")
        writeFileSync(fileIn(directory), JSON.stringify(file))
        const error = yield* Effect.flip(read).pipe(using(directory, keychain))
        assert.include(error.message, "does not open")
      })
    )
  )
})

describe("a change in the TokenStore", () => {
  const increment = TokenStore.use(({ modify }) =>
    modify(IDENTITY, (current = NO_CREDENTIALS) =>
      Effect.as(Effect.sleep(2), {
        value: undefined,
        keep: { ...current, wanted: [String(Number(current.wanted[0] ?? 0) + 1)] }
      })
    )
  )

  it.live("is made one at a time, over all stores of a directory", () =>
    inFolder((directory) =>
      Effect.gen(function* () {
        yield* Effect.all(
          Array.from({ length: 4 }, () =>
            Effect.all([increment, increment, increment], { concurrency: "unbounded" }).pipe(using(directory))
          ),
          { concurrency: "unbounded" }
        )
        assert.deepStrictEqual((yield* read.pipe(using(directory)))?.wanted, ["12"])
        assert.lengthOf(namesIn(directory), 1)
      })
    )
  )

  const lockIn = (directory: string) => {
    mkdirSync(folderOf(directory), { recursive: true })
    return `${fileIn(directory)}.lock`
  }

  /** Leaves a lock behind, as a process that died with it would. */
  const leaveLock = (directory: string, owner: Partial<ProcessOwner> | string, ageMs = 0) => {
    const path = lockIn(directory)
    writeFileSync(
      path,
      typeof owner === "string" ? owner : JSON.stringify({ ...thisProcess(), nonce: "left", ...owner })
    )
    const then = (Date.now() - ageMs) / 1000
    utimesSync(path, then, then)
  }

  const NOBODY = 2 ** 22 + 1

  const abandoned: ReadonlyArray<readonly [string, Partial<ProcessOwner> | string, number]> = [
    ["whose process is no more", { pid: NOBODY }, 0],
    ["whose number belongs to another process now", { started: "1" }, 0],
    ["of this machine, before it was started anew", { boot: "another" }, 0],
    ["of another machine, long ago", { host: "elsewhere" }, LOCK_AGE_MAX_MS + 1_000],
    ["that nobody put a name to, long ago", "", 60_000]
  ]
  for (const [whose, owner, age] of abandoned) {
    it.live(`takes over a lock ${whose}`, () =>
      inFolder((directory) =>
        Effect.gen(function* () {
          yield* keep()
          leaveLock(directory, owner, age)
          yield* keep(credentials("other-0123456789"))
          assert.strictEqual((yield* read)?.authorization?.tokens?.accessToken, "other-0123456789")
          assert.lengthOf(namesIn(directory), 1)
        }).pipe(using(directory))
      )
    )
  }

  const respected: ReadonlyArray<readonly [string, Partial<ProcessOwner> | string]> = [
    ["whose process lives", {}],
    ["of another machine, just now", { host: "elsewhere" }],
    ["that nobody put a name to yet", ""]
  ]
  for (const [whose, owner] of respected) {
    it.effect(`waits a limited time for a lock ${whose}`, () =>
      inFolder((directory) =>
        Effect.gen(function* () {
          yield* keep()
          leaveLock(directory, owner)
          const waiting = yield* Effect.forkChild(Effect.flip(keep(credentials("other-0123456789"))))
          while (waiting.pollUnsafe() === undefined) {
            yield* TestClock.adjust("1 second")
            yield* Effect.promise(() => new Promise((resolve) => setImmediate(resolve)))
          }
          const error = yield* Fiber.join(waiting)
          assert.strictEqual(error._tag, "TokenStoreFailed")
          assert.strictEqual((yield* read)?.authorization?.tokens?.accessToken, ACCESS)
          assert.lengthOf(namesIn(directory), 2)
        }).pipe(using(directory))
      )
    )
  }

  it.live("leaves no lock when it is interrupted while it waits", () =>
    inFolder((directory) =>
      Effect.gen(function* () {
        yield* keep()
        leaveLock(directory, {})
        const waiting = yield* Effect.forkChild(keep(credentials("other-0123456789")))
        yield* Effect.sleep(100)
        yield* Fiber.interrupt(waiting)
        rmSync(lockIn(directory))
        yield* keep()
        assert.lengthOf(namesIn(directory), 1)
      }).pipe(using(directory))
    )
  )

  it.live("is written also when it is interrupted during the write", () =>
    inFolder((directory) =>
      Effect.gen(function* () {
        const writing = yield* Deferred.make<void>()
        const kept = memoryKeychain()
        // Asked when there is something to write.
        const keychain: Keychain = {
          get: kept.get,
          set: (value) => {
            Deferred.doneUnsafe(writing, Effect.void)
            return kept.set(value)
          }
        }
        const work = Effect.gen(function* () {
          const fiber = yield* Effect.forkChild(keep())
          yield* Deferred.await(writing)
          yield* Fiber.interrupt(fiber)
        })
        yield* work.pipe(using(directory, keychain))
        assert.deepStrictEqual(yield* read.pipe(using(directory, keychain)), credentials())
      })
    )
  )
})
