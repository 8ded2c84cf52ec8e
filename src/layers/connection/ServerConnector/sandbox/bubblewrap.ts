/**
 * Finds the system's program for sandboxes, and checks once whether it works here. A failure is not remembered, because somebody may have
 * fixed the cause; its message says what to do.
 */
import { isAbsolute } from "node:path"
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import { SANDBOX_PROBE_MAX_BYTES, SANDBOX_PROBE_MS } from "../../../../schemas/defaults/Processes.ts"
import { runHelper } from "../../../../system/helperProcess.ts"
import { findProgram } from "../../../../system/process/paths.ts"

export interface Bubblewrap {
  readonly path: string
  /** It can limit the size of a file system in memory. */
  readonly canLimit: boolean
}

const INSTALL =
  'install it ("apt install bubblewrap", "dnf install bubblewrap", "apk add bubblewrap"), or take "sandbox" out of its entry'
const USER_NAMESPACES =
  "this system does not let its users make namespaces: set kernel.unprivileged_userns_clone=1, on Ubuntu " +
  "kernel.apparmor_restrict_unprivileged_userns=0 or a profile for bwrap, in a container allow user namespaces"

/** Creates all namespaces and mounts that a sandbox needs. */
const PROBE = (
  "--unshare-user --unshare-pid --unshare-ipc --unshare-uts --unshare-net --cap-drop ALL --die-with-parent " +
  "--ro-bind / / --proc /proc --remount-ro /proc --dev /dev --tmpfs /tmp"
).split(" ")

const CONTAINER =
  "a container that keeps its /proc covered cannot hold a sandbox: start it with systempaths=unconfined (Docker: --security-opt)"

/** What its error means, for the person who has to fix it. */
export const inWords = (complaint: string): string => {
  const first = complaint.trim().split("\n", 1)[0]?.slice(0, 200) ?? ""
  if (/mount proc/i.test(complaint)) return `its sandbox cannot be made, ${CONTAINER} (${first})`
  return /namespace|uid map|gid map|RTM_NEWADDR|Operation not permitted|Permission denied/i.test(complaint)
    ? `its sandbox cannot be made, ${USER_NAMESPACES} (${first})`
    : `its sandbox cannot be made, bubblewrap does not work here (${first === "" ? "it did not say why" : first})`
}

/** Where systems install it. These are searched first, because PATH may contain a directory that a server can write to. */
const PLACES = ["/usr/bin", "/bin", "/usr/local/bin", "/run/wrappers/bin", "/run/current-system/sw/bin"]

const everywhere = () => [...PLACES, ...(process.env["PATH"] ?? "").split(":").filter(isAbsolute)].join(":")

/** The bubblewrap that was found to work on this machine: the same for all runtimes of a process. */
class Working extends Context.Reference<{ found: Bubblewrap | undefined }>("mcp-live/connection/Bubblewrap", {
  defaultValue: () => ({ found: undefined })
}) {}

/** Fails with a text that says what to do. */
export const findBubblewrap = (
  searchPath: string = everywhere(),
  platform: NodeJS.Platform = process.platform
): Effect.Effect<Bubblewrap, string> =>
  Effect.flatMap(Working, (working) => {
    if (platform !== "linux") {
      return Effect.fail(
        `its sandbox needs Linux, and this is ${platform}; take "sandbox" out of its entry to run it without one`
      )
    }
    const path = findProgram("bwrap", searchPath, "/")
    if (path === undefined) return Effect.fail(`its sandbox needs bubblewrap, which is not here: ${INSTALL}`)
    if (working.found?.path === path) return Effect.succeed(working.found)
    // In the sandbox it runs itself: that program certainly exists, and its help says what it can do.
    const spec = { command: path, args: [...PROBE, path, "--help"], env: {}, maxBytes: SANDBOX_PROBE_MAX_BYTES }
    return runHelper(spec).pipe(
      Effect.timeoutOrElse({
        duration: SANDBOX_PROBE_MS,
        orElse: () => Effect.fail({ detail: `did not end within ${SANDBOX_PROBE_MS / 1_000} s` })
      }),
      Effect.mapError(({ detail }) => inWords(`it ${detail}`)),
      Effect.filterOrFail(
        ({ code }) => code === 0,
        ({ stderr }) => inWords(stderr)
      ),
      Effect.map(({ stdout }) => (working.found = { path, canLimit: /--size\b/.test(stdout) }))
    )
  })
