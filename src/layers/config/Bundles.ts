/**
 * Bundles in the data directory: `bundles/SHA-256`. A bundle is read as a whole, so what was judged is what is unpacked. It is unpacked
 * beside its place and then renamed.
 */
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Schema from "effect/Schema"
import * as SchemaIssue from "effect/SchemaIssue"
import { createHash } from "node:crypto"
import { constants } from "node:fs"
import { open as openFile, readdir, rename, rm, stat } from "node:fs/promises"
import { join } from "node:path"
import { brokenBound } from "../../schemas/config/ConfigBounds.ts"
import { type Ground, programOf } from "../../schemas/config/bundle/BundleLaunch.ts"
import { Manifest } from "../../schemas/config/bundle/Manifest.ts"
import { splitSignature } from "../../schemas/config/bundle/SignatureBlock.ts"
import { dataDirectory } from "../../schemas/config/DataDirectory.ts"
import { BUNDLE_MANIFEST_MAX_BYTES, BUNDLE_MAX_BYTES } from "../../schemas/defaults/Bundles.ts"
import { BundleFailed, Bundles } from "../../services/config/Bundles.ts"
import { clip } from "../../schemas/content/Rendering.ts"
import { fileSystemSays, isMissing, makeOwnDirectory, nameBeside, NotOurs } from "../../system/ownFiles.ts"
import { signatureOf } from "./Bundles/signature.ts"
import { NotABundle, readArchive } from "./Bundles/archive.ts"
import { writeArchive } from "./Bundles/writing.ts"

export interface Options {
  /** The data directory. Default: `$MCP_LIVE_HOME`, else `~/.mcp-live`. */
  readonly directory?: string | undefined
}

const failed = (detail: string) => new BundleFailed({ detail })

const attempt = <A>(work: () => Promise<A>): Effect.Effect<A, BundleFailed> =>
  Effect.tryPromise({
    try: work,
    catch: (error) => {
      if (error instanceof NotABundle) return failed(error.message)
      return failed(isMissing(error) ? "there is no such file" : `it cannot be read: ${fileSystemSays(error)}`)
    }
  })

const digestOf = (file: Buffer): string => createHash("sha256").update(file).digest("hex")

const MANIFEST = "manifest.json"
const ISSUE_MAX_CHARS = 200
const issueText = SchemaIssue.makeFormatterDefault()

const decodeManifest = (bytes: Buffer) => {
  const text = bytes.toString("utf8").replace(/^\ufeff/, "")
  const bound = brokenBound(text)
  if (bound !== undefined) throw new NotABundle(`its ${MANIFEST} ${bound.message}`)
  let value: unknown
  try {
    value = JSON.parse(text)
  } catch {
    throw new NotABundle(`its ${MANIFEST} is not JSON`)
  }
  const manifest = Schema.decodeUnknownResult(Manifest)(value)
  if (manifest._tag === "Failure") {
    throw new NotABundle(
      `its ${MANIFEST} has another form: ${clip(issueText(manifest.failure.issue), ISSUE_MAX_CHARS)}`
    )
  }
  const { dxt_version, manifest_version } = manifest.success
  if ((manifest_version ?? dxt_version) === undefined) throw new NotABundle(`its ${MANIFEST} names no manifest_version`)
  return manifest.success
}

/** The mode cannot change while the file is read, but its content can: only what was read counts. */
const readBundle = async (path: string): Promise<Buffer> => {
  const file = await openFile(path, constants.O_RDONLY | (constants.O_NONBLOCK ?? 0))
  try {
    const stats = await file.stat()
    if (!stats.isFile()) throw new NotOurs("it is not a file")
    if (stats.size > BUNDLE_MAX_BYTES)
      throw new NotOurs(`it has more than the ${BUNDLE_MAX_BYTES} bytes that are taken`)
    const bytes = Buffer.alloc(stats.size)
    let size = 0
    while (size < bytes.length) {
      const { bytesRead } = await file.read(bytes, size, bytes.length - size, size)
      if (bytesRead === 0) break
      size += bytesRead
    }
    const { size: now } = await file.stat()
    if (size < bytes.length || now !== stats.size) throw new NotOurs("it was changed while it was read")
    return bytes
  } finally {
    await file.close()
  }
}

/** Folders of a process that ended in the middle. */
const UNFINISHED = /^[a-f0-9]{64}\..+\.tmp$/
const UNFINISHED_MS = 24 * 60 * 60 * 1000

const sweep = async (folder: string): Promise<void> => {
  for (const name of (await readdir(folder)).filter((each) => UNFINISHED.test(each))) {
    const path = join(folder, name)
    const { mtimeMs } = await stat(path)
    if (Date.now() - mtimeMs > UNFINISHED_MS) await rm(path, { recursive: true, force: true })
  }
}

const isThere = (path: string): Promise<boolean> =>
  stat(path).then(
    (found) => found.isDirectory(),
    () => false
  )

const make = ({ directory = dataDirectory() }: Options) => {
  const folder = join(directory, "bundles")
  const placeOf = (file: Buffer) => join(folder, digestOf(file))

  const look = async (file: Buffer) => {
    const { content, signature } = splitSignature(file)
    const archive = await readArchive(content)
    const manifest = decodeManifest(await archive.contentOf(MANIFEST, BUNDLE_MANIFEST_MAX_BYTES))
    return { archive, content, manifest, signature }
  }

  const open = Effect.fn("Bundles.open")(function* (file: Buffer) {
    const { content, manifest, signature } = yield* attempt(() => look(file))
    return {
      manifest,
      signature: signatureOf(content, signature),
      digest: digestOf(file),
      directory: placeOf(file)
    }
  })

  const unpack = Effect.fn("Bundles.unpack")(function* (file: Buffer) {
    const place = placeOf(file)
    return yield* attempt(async () => {
      if (await isThere(place)) return { directory: place, isNew: false }
      const { archive, manifest } = await look(file)
      makeOwnDirectory(folder)
      await sweep(folder).catch(() => {})
      const fresh = `${nameBeside(place)}.tmp`
      try {
        const ground: Ground = { platform: process.platform, home: "/" }
        await writeArchive(archive, fresh, programOf(manifest, ground))
        await rename(fresh, place)
      } catch (error) {
        await rm(fresh, { recursive: true, force: true }).catch(() => {})
        // Another process was faster.
        if (await isThere(place)) return { directory: place, isNew: false }
        throw error
      }
      return { directory: place, isNew: true }
    })
  })

  return Bundles.of({
    read: (path) => attempt(() => readBundle(path)),
    open,
    unpack,
    remove: (unpacked) => Effect.promise(() => rm(unpacked, { recursive: true, force: true }).catch(() => {}))
  })
}

export const layer = (options: Options = {}): Layer.Layer<Bundles> => Layer.sync(Bundles, () => make(options))
