/** Flags of `doctor` that may stand without a value. */

/** Stands for the value that is left out. */
export const USUAL = "default"

const BARE: ReadonlySet<string> = new Set(["--report", "--openclaw"])

/** Gives `--report` and `--openclaw` their value where none follows. */
export const withBareFlags = (args: ReadonlyArray<string>): ReadonlyArray<string> =>
  args.includes("doctor")
    ? args.flatMap((arg, i) => (BARE.has(arg) && (args[i + 1] ?? "-").startsWith("-") ? [arg, USUAL] : [arg]))
    : args

/** The name of a report that has none: in the current directory, another one each second. */
export const reportName = (now: number): string =>
  `mcp-live-report-${new Date(now).toISOString().slice(0, 19).replace(/[-:]/g, "")}.txt`
