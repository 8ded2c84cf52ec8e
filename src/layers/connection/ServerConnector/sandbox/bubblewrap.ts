/**
 * The system's program for sandboxes: where it is, whether it works here, and what to do if it does not. It is checked once. A failure is not
 * remembered, because somebody may fix it.
 */
import { execFile } from "node:child_process"
import { isAbsolute } from "node:path"
import * as Effect from "effect/Effect"
import { SANDBOX_PROBE_MS } from "../../../../schemas/defaults/Processes.ts"
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

let working: Bubblewrap | undefined

/** Fails with a text that says what to do. */
export const findBubblewrap = (
  searchPath: string = everywhere(),
  platform: NodeJS.Platform = process.platform
): Effect.Effect<Bubblewrap, string> =>
  Effect.suspend(() => {
    if (platform !== "linux") {
      return Effect.fail(
        `its sandbox needs Linux, and this is ${platform}; take "sandbox" out of its entry to run it without one`
      )
    }
    const path = findProgram("bwrap", searchPath, "/")
    if (path === undefined) return Effect.fail(`its sandbox needs bubblewrap, which is not here: ${INSTALL}`)
    if (working?.path === path) return Effect.succeed(working)
    return Effect.callback<Bubblewrap, string>((resume) => {
      // Inside, it runs itself with --help: that program surely exists, and lists its options.
      const probe = execFile(
        path,
        [...PROBE, path, "--help"],
        { timeout: SANDBOX_PROBE_MS, env: {} },
        (error, stdout, stderr) => {
          if (error !== null) return resume(Effect.fail(inWords(stderr)))
          working = { path, canLimit: /--size\b/.test(stdout) }
          resume(Effect.succeed(working))
        }
      )
      return Effect.sync(() => void probe.kill("SIGKILL"))
    })
  })
