/** What is wrong with a configuration, or may be, and where. */
/** One problem of a configuration, or one warning, with its place. */
export interface ConfigIssue {
  readonly file: string
  /** 1-based; 0 when the place is not known. */
  readonly line: number
  /** Dotted path of the key, empty for the whole file. */
  readonly path: string
  readonly message: string
  /** Of a warning: that a credential can be read by others. Every command tells it. */
  readonly about?: "credentials"
}

/** One line as compilers print it: `openclaw.json:12: agents.defaults.mcp.servers.fs.comand: unknown key …`. */
export const formatIssue = (issue: ConfigIssue): string =>
  [issue.line > 0 ? `${issue.file}:${issue.line}` : issue.file, issue.path, issue.message]
    .filter((part) => part !== "")
    .join(": ")
