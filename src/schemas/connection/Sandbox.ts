/** What a server is held to that runs in a sandbox: it sees the system's programs and its own, and nothing else that is not listed. */

export interface SandboxOptions {
  readonly filesystem?:
    | {
        /** Files and directories that it may read; absolute. */
        readonly read?: ReadonlyArray<string> | undefined
        /** The same, and it may write there. */
        readonly write?: ReadonlyArray<string> | undefined
      }
    | undefined
  /** Whether it may use the network; not when left out. */
  readonly network?: boolean | undefined
}

export interface Sandbox {
  readonly read: ReadonlyArray<string>
  readonly write: ReadonlyArray<string>
  readonly network: boolean
}

/** With everything that was left out; `undefined` for no sandbox. Equal choices give equal sandboxes. */
export const sandboxOf = (choice: boolean | SandboxOptions): Sandbox | undefined => {
  if (choice === false) return undefined
  const { filesystem, network = false } = choice === true ? {} : choice
  return {
    read: (filesystem?.read ?? []).toSorted(),
    write: (filesystem?.write ?? []).toSorted(),
    network
  }
}
