/** The names of files of lines: one that is written to, and full ones. For writers and readers. */

const COLONS = /T(\d\d)-(\d\d)-(\d\d)/
/** The last time whose year has four digits. */
const LATEST = Date.UTC(10_000, 0) - 1

export interface LineFileNames {
  /** The file that is currently written. */
  readonly current: string
  /** Full files, oldest first: their names begin with the time of the rotation, so they sort by it. */
  readonly rotatedAmong: (names: ReadonlyArray<string>) => ReadonlyArray<string>
  /** A name that sorts after all of `rotated`, even if the clock was set back. `unique` is eight hex digits. */
  readonly rotatedName: (rotated: ReadonlyArray<string>, now: number, unique: string) => string
}

/** `base` is a plain word. */
export const lineFileNames = (base: string): LineFileNames => {
  const pattern = new RegExp(String.raw`^${base}-(\d{4}-\d\d-\d\dT\d\d-\d\d-\d\d\.\d{3}Z)-[0-9a-f]{8}\.jsonl$`)
  /** `NaN` for another file, also for one whose name has a time that does not exist. */
  const rotatedAt = (name: string): number => {
    const stamp = pattern.exec(name)?.[1]
    return stamp === undefined ? Number.NaN : Date.parse(stamp.replace(COLONS, "T$1:$2:$3"))
  }
  return {
    current: `${base}.jsonl`,
    rotatedAmong: (names) => names.filter((name) => !Number.isNaN(rotatedAt(name))).toSorted(),
    rotatedName: (rotated, now, unique) => {
      const last = rotated.at(-1)
      const at = last === undefined ? now : Math.min(Math.max(now, rotatedAt(last) + 1), LATEST)
      return `${base}-${new Date(at).toISOString().replaceAll(":", "-")}-${unique}.jsonl`
    }
  }
}
