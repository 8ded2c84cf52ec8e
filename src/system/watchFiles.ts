/**
 * Tells when files have changed, and are whole: none of them has changed again for a while. Folders are watched, so that a file that is
 * replaced by another one, or appears, is noticed; and all files are looked at now and then, because not every file system reports changes.
 */
import * as Effect from "effect/Effect"
import * as Queue from "effect/Queue"
import * as Stream from "effect/Stream"
import { watch, type FSWatcher } from "node:fs"
import { realpath, stat } from "node:fs/promises"
import { dirname } from "node:path"
import { roundsOf } from "./rounds.ts"

export interface WatchOptions {
  /** The files that count now; they may be others after each change. */
  readonly files: () => ReadonlyArray<string>
  /** A change is told when there was no other for so long. */
  readonly quietMs: number
  readonly lookMs: number
}

/** Another text whenever the content may be another one. */
const stampOf = async (file: string): Promise<string> => {
  try {
    const { ctimeNs, dev, ino, mtimeNs, size } = await stat(file, { bigint: true })
    return [dev, ino, size, mtimeNs, ctimeNs].join(":")
  } catch (error) {
    return error instanceof Error && "code" in error ? String(error.code) : "?"
  }
}

const stampsOf = (files: ReadonlyArray<string>): Effect.Effect<string> =>
  Effect.promise(async () => (await Promise.all(files.map(stampOf))).join(" "))

/** The folders of the names, and of the files behind symbolic links. */
const foldersOf = (files: ReadonlyArray<string>): Effect.Effect<ReadonlySet<string>> =>
  Effect.promise(async () => {
    const real = await Promise.all(files.map((file) => realpath(file).catch(() => file)))
    return new Set([...files, ...real].map((file) => dirname(file)))
  })

/** Watches the folders; one that cannot be watched is left to the regular look. */
const makeFolders = (changed: () => void) => {
  const watchers = new Map<string, FSWatcher>()
  const drop = (folder: string) => {
    watchers.get(folder)?.close()
    watchers.delete(folder)
  }
  const add = (folder: string) => {
    try {
      const watcher = watch(folder, { persistent: false }, changed)
      watcher.on("error", () => drop(folder))
      watchers.set(folder, watcher)
    } catch {
      // It does not exist, or the system has no more watches.
    }
  }
  return {
    set: (wanted: ReadonlySet<string>) => {
      for (const folder of watchers.keys()) if (!wanted.has(folder)) drop(folder)
      for (const folder of wanted) if (!watchers.has(folder)) add(folder)
    },
    close: () => [...watchers.keys()].forEach(drop)
  }
}

/** Emits at the beginning, because a file may have changed since it was read, and after each change that has come to rest. */
export const fileChanges = ({ files, lookMs, quietMs }: WatchOptions): Stream.Stream<void> =>
  Stream.callback<void>(
    Effect.fnUntraced(function* (told) {
      const hints = yield* Queue.sliding<void>(1)
      const folders = yield* Effect.acquireRelease(
        Effect.sync(() => makeFolders(() => Queue.offerUnsafe(hints, undefined))),
        ({ close }) => Effect.sync(close)
      )
      const now = Effect.suspend(() => stampsOf(files()))
      let known = ""
      const look = Effect.gen(function* () {
        folders.set(yield* foldersOf(files()))
        let seen = yield* now
        if (seen === known) return
        for (let before = ""; before !== seen;) {
          before = seen
          yield* Effect.sleep(quietMs)
          seen = yield* now
        }
        known = seen
        Queue.offerUnsafe(told, undefined)
      })
      const looks = roundsOf("looking for changed files")
      const hinted = Effect.timeoutOption(Queue.take(hints), lookMs)
      return yield* Effect.forever(Effect.andThen(looks(look), hinted))
    }),
    { bufferSize: 1, strategy: "sliding" }
  )
