/** What a server in a sandbox may use: the system's programs, its own files, and what is listed here. */

export interface SandboxOptions {
  readonly filesystem?:
    | {
        /** Files and directories that it may read, as absolute paths. */
        readonly read?: ReadonlyArray<string> | undefined
        /** Files and directories that it may read and write. */
        readonly write?: ReadonlyArray<string> | undefined
      }
    | undefined
  /** Whether it may use the network; false by default. */
  readonly network?: boolean | undefined
}

export interface Sandbox {
  readonly read: ReadonlyArray<string>
  readonly write: ReadonlyArray<string>
  readonly network: boolean
}

/** The sandbox with all defaults; `undefined` for no sandbox. Equal choices give equal sandboxes. */
export const sandboxOf = (choice: boolean | SandboxOptions): Sandbox | undefined => {
  if (choice === false) return undefined
  const { filesystem, network = false } = choice === true ? {} : choice
  return {
    read: (filesystem?.read ?? []).toSorted(),
    write: (filesystem?.write ?? []).toSorted(),
    network
  }
}
