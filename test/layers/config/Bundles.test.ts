import { assert, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import { randomBytes } from "node:crypto"
import {
  appendFileSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  statSync,
  utimesSync,
  writeFileSync
} from "node:fs"
import { join } from "node:path"
import * as BundlesLayer from "../../../src/layers/config/Bundles.ts"
import { BUNDLE_ENTRIES_MAX, BUNDLE_RATIO_FREE_BYTES } from "../../../src/schemas/defaults/Bundles.ts"
import { Bundles } from "../../../src/services/config/Bundles.ts"
import { bytesOf, manifest, pack, sign } from "../../fixtures/bundles/bundles.ts"
import { inFolder } from "../../support/folder.ts"
import { zipOf, type ZipEntry } from "../../support/zip.ts"

const MANIFEST: ZipEntry = { name: "manifest.json", content: JSON.stringify(manifest) }

/** A data directory, with what a test does in it. */
const inData = <A, E, R>(use: (directory: string, bundles: Bundles["Service"]) => Effect.Effect<A, E, R>) =>
  Effect.gen(function* () {
    const directory = yield* inFolder
    const bundles = yield* Effect.provide(Effect.service(Bundles), BundlesLayer.layer({ directory }))
    return yield* use(directory, bundles)
  }).pipe(Effect.scoped)

/** Why an archive is refused; nothing of it may be on the disk. */
const refusal = (file: Buffer) =>
  inData(
    Effect.fnUntraced(function* (directory, { unpack }) {
      const { message } = yield* Effect.flip(unpack(file))
      const folder = join(directory, "bundles")
      assert.deepStrictEqual(existsSync(folder) ? readdirSync(folder) : [], [])
      assert.deepStrictEqual(
        readdirSync(directory).filter((name) => name !== "bundles"),
        []
      )
      return message
    })
  )

const refused = Effect.fnUntraced(function* (entries: ReadonlyArray<ZipEntry>, words: string) {
  assert.include(yield* refusal(zipOf([MANIFEST, ...entries])), words)
})

describe("a bundle of the official tool", () => {
  it.live("is looked into without being unpacked, and unpacked once", () =>
    inData(
      Effect.fnUntraced(function* (directory, { open, read, remove, unpack }) {
        const path = yield* Effect.promise(() => pack(directory))
        const file = yield* read(path)
        const opened = yield* open(file)
        assert.strictEqual(opened.manifest.name, "Bundled")
        assert.deepStrictEqual(opened.signature, { _tag: "Unsigned" })
        assert.isFalse(existsSync(opened.directory))
        assert.deepStrictEqual(yield* unpack(file), { directory: opened.directory, isNew: true })
        assert.strictEqual(opened.directory, join(directory, "bundles", opened.digest))
        assert.deepStrictEqual(yield* unpack(file), { directory: opened.directory, isNew: false })
        const server = join(opened.directory, "server", "index.mjs")
        assert.strictEqual(
          readFileSync(server, "utf8"),
          readFileSync(join(directory, "source", "server", "index.mjs"), "utf8")
        )
        assert.strictEqual(statSync(opened.directory).mode & 0o777, 0o700)
        assert.strictEqual(statSync(server).mode & 0o077, 0)
        assert.deepStrictEqual(readdirSync(join(directory, "bundles")), [opened.digest])
        yield* remove(opened.directory)
        assert.isFalse(existsSync(opened.directory))
      })
    )
  )

  it.live("that is signed says by whom, and whether anybody certifies that", () =>
    inData(
      Effect.fnUntraced(function* (directory, { open, unpack }) {
        const path = yield* Effect.promise(() => pack(directory))
        sign(directory, path, "Example Corp")
        const file = bytesOf(path)
        const opened = yield* open(file)
        assert.deepStrictEqual(opened.signature, {
          _tag: "Signed",
          signer: "Example Corp",
          issuer: "Example Corp",
          isTrusted: false
        })
        yield* unpack(file)
        assert.isTrue(existsSync(join(opened.directory, "manifest.json")))
      })
    )
  )

  it.live("whose archive counts the signature as its comment is as good as one that does not", () =>
    inData(
      Effect.fnUntraced(function* (directory, { open, unpack }) {
        const path = yield* Effect.promise(() => pack(directory))
        sign(directory, path, "Example Corp")
        const file = bytesOf(path)
        const at = file.lastIndexOf("MCPB_SIG_V1")
        const counted = Buffer.from(file)
        counted.writeUInt16LE(file.length - at, at - 2)
        assert.strictEqual((yield* open(counted)).signature._tag, "Signed")
        const { directory: place } = yield* unpack(counted)
        assert.isTrue(existsSync(join(place, "manifest.json")))
        // Any other count is a change.
        counted.writeUInt16LE(file.length - at - 1, at - 2)
        assert.include((yield* Effect.flip(open(counted))).message, "damaged")
      })
    )
  )

  it.live("that was changed after it was signed has a wrong signature", () =>
    inData(
      Effect.fnUntraced(function* (directory, { open }) {
        const path = yield* Effect.promise(() => pack(directory))
        sign(directory, path, "Example Corp")
        const signed = bytesOf(path)
        const signature = Effect.fnUntraced(function* (file: Buffer) {
          const { signature: found } = yield* open(file)
          return found._tag === "Invalid" ? found.detail : found._tag
        })
        // The date of the first entry is no part of what is unpacked.
        const changed = Buffer.from(signed)
        changed[10]! ^= 1
        assert.strictEqual(yield* signature(changed), "the bundle was changed after it was signed")
        const other = Buffer.from(signed)
        other[other.length - 20]! ^= 1
        assert.strictEqual(yield* signature(other), "its certificate does not belong to it")
        const short = Buffer.from(signed)
        const at = short.lastIndexOf("MCPB_SIG_V1") + "MCPB_SIG_V1".length
        short.writeUInt32LE(short.readUInt32LE(at) - 1, at)
        assert.include((yield* Effect.flip(open(short))).message, "damaged")
        for (const cut of [0, 20]) {
          const broken = Buffer.from(signed)
          broken.fill(0, at + 4 + cut, at + 4 + cut + 8)
          assert.notInclude(["Signed", "Unsigned"], yield* signature(broken))
        }
      })
    )
  )
})

describe("what is unpacked", () => {
  it.live("is the same, byte for byte, and executable where it was, or where it is the program", () =>
    inData(
      Effect.fnUntraced(function* (directory, { unpack }) {
        const content = randomBytes(700_000)
        const program = {
          ...manifest,
          server: { type: "binary", entry_point: "bin/run", mcp_config: { command: "bin/run" } }
        }
        const file = zipOf([
          { name: "manifest.json", content: JSON.stringify(program) },
          { name: "bin/", mode: 0o040755 },
          { name: "bin/run", content, mode: 0o100666 },
          { name: "tool.sh", content: "x", mode: 0o104755 }
        ])
        // What a process has left that ended in the middle, now and some days ago.
        const [stale, fresh] = ["1", "2"].map((name) => join(directory, "bundles", `${"ab".repeat(32)}.${name}.tmp`))
        for (const path of [stale!, fresh!]) mkdirSync(path, { recursive: true })
        utimesSync(stale!, new Date("2020-01-01"), new Date("2020-01-01"))
        const { directory: place } = yield* unpack(file)
        assert.isTrue(readFileSync(join(place, "bin", "run")).equals(content))
        assert.strictEqual(statSync(join(place, "bin", "run")).mode & 0o7777, 0o700)
        assert.strictEqual(statSync(join(place, "tool.sh")).mode & 0o7777, 0o700)
        assert.strictEqual(statSync(join(place, "manifest.json")).mode & 0o7777, 0o600)
        assert.deepStrictEqual([existsSync(stale!), existsSync(fresh!)], [false, true])
      })
    )
  )
})

describe("a bundle that must not be unpacked", () => {
  it.live("has a path that leads outside of the folder", () =>
    Effect.gen(function* () {
      yield* refused([{ name: "../evil" }], "")
      yield* refused([{ name: "/etc/evil" }], "")
      yield* refused([{ name: "a\\..\\..\\evil" }], "")
      yield* refused([{ name: "a/./b" }], "leads out of its folder")
      yield* refused([{ name: "link", mode: 0o120777, content: "/etc/passwd" }], "is a link")
      yield* refused([{ name: "pipe", mode: 0o010644 }], "is neither a file nor a folder")
      yield* refused([{ name: "Manifest.json" }], "only in upper and lower case")
      yield* refused([{ name: "manifest.json/x" }], "is a file and a folder")
      yield* refused([{ name: "manifest.json" }], "is there twice")
    })
  )

  it.live("is a bomb, whatever it declares", () =>
    Effect.gen(function* () {
      const zeros = Buffer.alloc(BUNDLE_RATIO_FREE_BYTES / 2 + 1)
      yield* refused(
        [
          { name: "a", content: zeros },
          { name: "b", content: zeros }
        ],
        "unpacks to more than"
      )
      // The sizes are a lie: what is unpacked counts.
      const lies = [zeros, zeros].map((content, i) => ({ name: `lie-${i}`, content, declared: 10 }))
      yield* refused(lies, "damaged")
      const many = Array.from({ length: BUNDLE_ENTRIES_MAX + 1 }, (_, i) => ({ name: `f${i}` }))
      yield* refused(many, "it has more than")
    })
  )

  it.live("is not an archive, has no manifest, or a malformed one", () =>
    Effect.gen(function* () {
      for (const file of [Buffer.alloc(0), Buffer.from("not a zip"), zipOf([MANIFEST]).subarray(0, 100)]) {
        assert.include(yield* refusal(file), "it is no ZIP archive")
      }
      assert.include(yield* refusal(zipOf([{ name: "x" }])), "it has no manifest.json")
      const withManifest = (content: string) => refusal(zipOf([{ name: "manifest.json", content }]))
      assert.include(yield* withManifest("{"), "is not JSON")
      assert.match(yield* withManifest("{}"), /has another form: .*name/)
      assert.include(yield* withManifest("[".repeat(5_000)), "nested more than")
      assert.include(yield* withManifest(" ".repeat(2 ** 20 + 1)), "has more than")
      assert.include(
        yield* withManifest(JSON.stringify({ ...manifest, manifest_version: undefined })),
        "names no manifest_version"
      )
    })
  )

  it.live("is not a regular file, or is not readable", () =>
    inData(
      Effect.fnUntraced(function* (directory, { read }) {
        assert.include((yield* Effect.flip(read(directory))).message, "cannot be read")
        assert.include((yield* Effect.flip(read(join(directory, "none.mcpb")))).message, "there is no such file")
        const file = join(directory, "large.mcpb")
        writeFileSync(file, "x")
        appendFileSync(file, "y")
        assert.strictEqual((yield* read(file)).toString(), "xy")
      })
    )
  )
})
