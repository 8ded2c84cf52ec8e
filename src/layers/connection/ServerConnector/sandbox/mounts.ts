/**
 * What a sandboxed server sees of the disk, as arguments for bubblewrap. Everything that is shown has its own path, and links lead where they
 * lead outside. The rest of the disk does not exist for it.
 */
import { isAbsolute, sep } from "node:path"
import { SANDBOX_TMP_MAX_BYTES } from "../../../../schemas/defaults/Processes.ts"
import { isWithin, reveal, type Revealed } from "../../../../system/process/paths.ts"

export type Access = "read" | "write"

/** A file or directory that the server sees. */
export interface Shown {
  readonly path: string
  readonly access: Access
}

export interface View {
  readonly shown: ReadonlyArray<Shown>
  /** An empty home directory of its own, unless the real one is shown. */
  readonly home: string | undefined
  readonly network: boolean
  /** Whether bubblewrap can limit the size of files in memory. */
  readonly canLimit: boolean
  /** Directories that appear empty. They exist. */
  readonly covered?: ReadonlyArray<string>
}

/** Programs and libraries of the system, read-only. */
const SYSTEM = ["/usr", "/bin", "/sbin", "/lib", "/lib32", "/lib64", "/libx32", "/nix/store"]
/** The files of /etc that programs need; others may be for root alone. */
const ETC = [
  "alternatives",
  "ca-certificates",
  "ca-certificates.conf",
  "crypto-policies",
  "debian_version",
  "fonts",
  "group",
  "gai.conf",
  "host.conf",
  "hosts",
  "ld.so.cache",
  "ld.so.conf",
  "ld.so.conf.d",
  "locale.alias",
  "locale.conf",
  "localtime",
  "magic",
  "mime.types",
  "nsswitch.conf",
  "os-release",
  "passwd",
  "pki/ca-trust",
  "pki/tls/certs",
  "pki/tls/cert.pem",
  "protocols",
  "services",
  "ssl/cert.pem",
  "ssl/certs",
  "ssl/openssl.cnf",
  "terminfo",
  "timezone"
].map((name) => `/etc/${name}`)
const ETC_NETWORK = ["/etc/resolv.conf"]

type Mount =
  | { readonly kind: "bind"; readonly path: string; readonly access: Access }
  | { readonly kind: "link"; readonly path: string; readonly target: string }
  | { readonly kind: "empty"; readonly path: string }

const depth = (path: string) => path.split(sep).filter(Boolean).length

/** The mount that decides what is at a path: the closest one above it. */
const above = (mounts: Iterable<Mount>, path: string): Mount | undefined => {
  let closest: Mount | undefined
  for (const mount of mounts) {
    if (mount.kind === "link" || mount.path === path || !isWithin(path, mount.path)) continue
    if (closest === undefined || depth(mount.path) > depth(closest.path)) closest = mount
  }
  return closest
}

/**
 * Whether the path leads through a link that the server can change. With it, the server could choose what it sees at its next start.
 */
export const isOpenToChange = ({ links }: Revealed, writable: ReadonlyArray<string>): boolean =>
  links.some(([link]) => writable.some((directory) => isWithin(link, directory)))

/** Where the server may write, with links resolved. */
export const writableOf = (shown: ReadonlyArray<Shown>): ReadonlyArray<string> =>
  shown.flatMap(({ access, path }) => (access === "write" ? [reveal(path)?.real ?? path] : []))

/** Whether a path without links is inside of what is shown. */
export const isSeen = (shown: ReadonlyArray<Shown>, real: string): boolean =>
  [...shown.map(({ path }) => path), ...SYSTEM].some((path) => {
    const revealed = reveal(path)
    return revealed !== undefined && isWithin(real, revealed.real)
  })

const collect = ({ covered = [], home, network, shown }: View): ReadonlyArray<Mount> => {
  const mounts = new Map<string, Mount>()
  const links = new Map<string, string>()
  const writable = writableOf(shown)
  const follow = (path: string) => {
    const revealed = reveal(path)
    if (revealed === undefined || isOpenToChange(revealed, writable)) return undefined
    for (const [link, target] of revealed.links) links.set(link, target)
    return revealed.real
  }
  const show = ({ access, path }: Shown) => {
    const real = follow(path)
    if (real === undefined || (access === "read" && writable.includes(real))) return
    mounts.set(real, { kind: "bind", path: real, access })
  }
  for (const path of [...SYSTEM, ...ETC, ...(network ? ETC_NETWORK : [])]) show({ path, access: "read" })
  for (const each of shown) show(each)
  if (!mounts.has("/tmp")) mounts.set("/tmp", { kind: "empty", path: "/tmp" })
  const place = home === undefined || home === sep ? undefined : (follow(home) ?? home)
  // A home inside of a shown directory is shown; "/" alone does not show it.
  const around = place === undefined ? undefined : above(mounts.values(), place)
  const isShown = around?.kind === "bind" && around.path !== sep
  if (place !== undefined && !mounts.has(place) && !isShown) mounts.set(place, { kind: "empty", path: place })
  for (const path of covered) mounts.set(path, { kind: "empty", path })
  // They are shown with their directory.
  for (const [path, target] of links) {
    if (mounts.has(path) || above(mounts.values(), path)?.kind === "bind") continue
    mounts.set(path, { kind: "link", path, target })
  }
  const isShownAnyway = (mount: Mount) => {
    const around = mount.kind === "bind" ? above(mounts.values(), mount.path) : undefined
    // Inside of a writable directory, the server could replace it before it is mounted.
    return mount.kind === "bind" && around?.kind === "bind" && (around.access === "write" || mount.access === "read")
  }
  const needed = [...mounts.values()].filter((mount) => !isShownAnyway(mount))
  return needed.toSorted((a, b) => depth(a.path) - depth(b.path) || (a.path < b.path ? -1 : 1))
}

/** The arguments for this view. */
export const viewArguments = (view: View): ReadonlyArray<string> => {
  const limit = view.canLimit ? ["--size", String(SANDBOX_TMP_MAX_BYTES)] : []
  const empty = (path: string) => [...limit, "--tmpfs", path]
  const mounts = collect(view)
  const isWholeDiskOpen = mounts.some(({ kind, path }) => kind === "bind" && path === sep)
  return [
    ...mounts.flatMap((mount) => {
      switch (mount.kind) {
        case "bind":
          return [mount.access === "write" ? "--bind" : "--ro-bind", mount.path, mount.path]
        case "link":
          return ["--symlink", mount.target, mount.path]
        case "empty":
          return empty(mount.path)
      }
    }),
    // As root, the server could write system settings.
    "--proc",
    "/proc",
    "--remount-ro",
    "/proc",
    "--dev",
    "/dev",
    ...empty("/dev/shm"),
    "--remount-ro",
    "/dev",
    ...(isWholeDiskOpen ? [] : ["--remount-ro", sep])
  ]
}

/** What is wrong with a path that should be shown; `undefined` when nothing is. */
export const pathProblem = (path: string, writable: ReadonlyArray<string>): string | undefined => {
  if (!isAbsolute(path)) return `${path} is not an absolute path`
  const revealed = reveal(path)
  if (revealed === undefined) return `${path} does not exist`
  if (isOpenToChange(revealed, writable)) {
    return `the way to ${path} leads through a link that the server can change; list ${revealed.real} if that is meant`
  }
  const replaced = ["/proc", "/dev"].find((each) => isWithin(revealed.real, each))
  return replaced === undefined ? undefined : `${path} cannot be shown: a sandbox has a ${replaced} of its own`
}
