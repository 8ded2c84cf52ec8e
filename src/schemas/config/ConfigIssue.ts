/** A problem of a configuration, or a warning, with its place. */
/** A problem of a configuration, or a warning, with its place. */
export interface ConfigIssue {
  readonly file: string
  /** 1-based; 0 when it is unknown. */
  readonly line: number
  /** Dotted path of the key; empty for the whole file. */
  readonly path: string
  readonly message: string
  /** For a warning: others can read a credential. Every command shows it. */
  readonly about?: "credentials"
}

/** One line in the format of compilers: `openclaw.json:12: agents.defaults.mcp.servers.fs.comand: unknown key …`. */
export const formatIssue = (issue: ConfigIssue): string =>
  [issue.line > 0 ? `${issue.file}:${issue.line}` : issue.file, issue.path, issue.message]
    .filter((part) => part !== "")
    .join(": ")
