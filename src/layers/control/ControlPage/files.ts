/** The files of the page, read into memory once: what is served stays that of one build, whatever becomes of the package meanwhile. */
import * as Effect from "effect/Effect"
import { readdir, readFile, stat } from "node:fs/promises"
import { extname, join, relative, sep } from "node:path"
import { PAGE_FILES_MAX, PAGE_FILES_MAX_BYTES } from "../../../schemas/defaults/Page.ts"
import { fileSystemSays, isMissing, NotOurs } from "../../../system/ownFiles.ts"

export interface PageFile {
  readonly body: Buffer
  readonly type: string
  /** Its name changes with its content, so a browser need not ask again. */
  readonly isLasting: boolean
}

/** By path from the page's folder, with `/`; `""` is the page itself. */
export type PageFiles = ReadonlyMap<string, PageFile>

const INDEX = "index.html"

/** Files of other kinds are not served. */
const TYPES: Readonly<Record<string, string>> = {
  ".html": "text/html; charset=utf-8",
  ".js": "text/javascript; charset=utf-8",
  ".css": "text/css; charset=utf-8",
  ".svg": "image/svg+xml",
  ".png": "image/png",
  ".webp": "image/webp",
  ".woff2": "font/woff2",
  ".txt": "text/plain; charset=utf-8"
}

/** As the bundler names what it makes: `assets/main-B3x9_kQa.js`. */
const LASTING = /^assets\/[^/]+-[\w-]{8,}\.\w+$/

const namesIn = async (folder: string): Promise<ReadonlyArray<string>> => {
  const entries = await readdir(folder, { recursive: true, withFileTypes: true })
  return entries.filter((entry) => entry.isFile()).map((entry) => relative(folder, join(entry.parentPath, entry.name)))
}

const read = async (folder: string): Promise<PageFiles> => {
  const names = (await namesIn(folder)).filter((name) => TYPES[extname(name)] !== undefined)
  if (!names.includes(INDEX)) throw new NotOurs("this installation has no page")
  if (names.length > PAGE_FILES_MAX) throw new NotOurs("the page has too many files")
  const sizes = await Promise.all(names.map(async (name) => (await stat(join(folder, name))).size))
  if (sizes.reduce((sum, size) => sum + size, 0) > PAGE_FILES_MAX_BYTES) throw new NotOurs("the page is too large")
  const files = await Promise.all(
    names.map(async (name): Promise<[string, PageFile]> => {
      const path = name.split(sep).join("/")
      const file = { body: await readFile(join(folder, name)), type: TYPES[extname(name)]! }
      return [path === INDEX ? "" : path, { ...file, isLasting: LASTING.test(path) }]
    })
  )
  return new Map(files)
}

/** Fails with words. */
export const readPage = (folder: string): Effect.Effect<PageFiles, string> =>
  Effect.tryPromise({
    try: () => read(folder),
    catch: (error) => (isMissing(error) ? "this installation has no page" : fileSystemSays(error))
  })
