/**
 * The counts of quotas in one small file of the data directory. Processes take turns by a lock, so each sees what the others have counted. Periods
 * that are over are left out of the next version of the file.
 */
import * as Clock from "effect/Clock"
import * as Effect from "effect/Effect"
import * as Schema from "effect/Schema"
import { dirname, join } from "node:path"
import { granted, quotasOf, type QuotaAsk } from "../../../schemas/call/Quota.ts"
import { QUOTA_FILE_MAX_BYTES, QUOTA_LOCK_WAIT_MS } from "../../../schemas/defaults/Quotas.ts"
import type { QuotaStore } from "../../../services/call/QuotaStore.ts"
import { withLock } from "../../../system/fileLock.ts"
import { jsonFile } from "../../../system/jsonFile.ts"
import { fileSystemSays, makeOwnDirectory } from "../../../system/ownFiles.ts"

const FILE = "quotas.json"
const VERSION = 1

const QuotaFile = Schema.Struct({
  version: Schema.Literal(VERSION),
  counts: Schema.Record(Schema.String, Schema.Struct({ count: Schema.Finite, endsAt: Schema.Finite }))
})
type Counts = (typeof QuotaFile.Type)["counts"]

const files = jsonFile(QuotaFile, QUOTA_FILE_MAX_BYTES, { tooLarge: "there are too many quotas" })

const attempt = <A>(work: () => Promise<A>) => Effect.tryPromise({ try: work, catch: fileSystemSays })

export const quotaFile = (directory: string): QuotaStore["Service"] => {
  const path = join(directory, FILE)

  /** `change` gets what is counted, and returns what is written. */
  const changing = <A>(change: (counts: Counts) => { readonly counts: Counts; readonly result: A }) =>
    Effect.scoped(
      Effect.gen(function* () {
        yield* attempt(async () => makeOwnDirectory(dirname(path)))
        yield* withLock(`${path}.lock`, QUOTA_LOCK_WAIT_MS, "the quotas")
        // A file that is damaged counts as none: nobody can be refused for it.
        const file = yield* attempt(() => files.read(path))
        const { counts, result } = change(file?.counts ?? {})
        if (file !== undefined || Object.keys(counts).length > 0) {
          yield* attempt(() => files.replace(path, { version: VERSION, counts }))
        }
        return result
      })
    )

  return {
    take: (asks: ReadonlyArray<QuotaAsk>) =>
      Effect.flatMap(Clock.currentTimeMillis, (now) =>
        changing((before) => {
          const counts = new Map(Object.entries(before).filter(([, { endsAt }]) => endsAt > now))
          const result = asks.map((ask) => {
            const given = granted(ask, counts.get(ask.name)?.count ?? 0)
            counts.set(ask.name, { count: given.count, endsAt: ask.endsAt })
            return given
          })
          return { counts: Object.fromEntries(counts), result }
        })
      ),
    forget: (personId) =>
      changing((before) => {
        const all = Object.entries(before)
        const kept = all.filter(([name]) => !name.startsWith(quotasOf(personId)))
        return { counts: Object.fromEntries(kept), result: all.length - kept.length }
      })
  }
}
