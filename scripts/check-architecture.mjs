/**
 * Fails when an import runs against the grain: programs → layers → services → schemas. `system/` is under the layers: no contract
 * knows it, and it knows schemas alone. `schemas`, `services` and `layers` have the same wings. A layer may import its own
 * folder, contracts and schemas: only `McpLive.ts` puts layers together, and `FleetLive.ts` those of a fleet, which only `McpLive/` loads.
 * Only those import the cluster, the SQL client and its driver; contracts import their types. A program imports no file of a layer's folder. The page runs in a
 * browser: it imports schemas alone, and nobody imports it.
 */
import { readdirSync, readFileSync } from "node:fs"
import { dirname, join, relative, resolve, sep } from "node:path"
import { fileURLToPath } from "node:url"

const src = fileURLToPath(new URL("../src", import.meta.url))
const FLOORS = ["schemas", "services", "system", "layers", "programs"]

const files = readdirSync(src, { recursive: true })
  .filter((file) => /\.tsx?$/.test(file))
  .map((file) => file.split(sep).join("/"))

/** What these compose is in wings; they and their folders are in none. */
const COMPOSE = new Set(["McpLive", "FleetLive"])

/** The layer that a file of `layers/` belongs to: `connection/ServerConnector` for both the file and its folder. */
const layerOf = (file) => {
  const [, wing, name] = file.split("/")
  const top = wing.replace(/\.ts$/, "")
  return COMPOSE.has(top) ? top : `${wing}/${name.replace(/\.ts$/, "")}`
}

const isPrivate = (file) => file.startsWith("layers/") && !COMPOSE.has(layerOf(file)) && file.split("/").length > 3

const PAGE = "programs/ui/page/"

const complaint = (from, to) => {
  if (from.startsWith(PAGE) && !to.startsWith(PAGE) && !to.startsWith("schemas/"))
    return "the page imports only schemas"
  if (to.startsWith(PAGE) && !from.startsWith(PAGE)) return "the page is built by itself: nobody imports it"
  const [fromRoom, toRoom] = [from.split("/")[0], to.split("/")[0]]
  const [fromFloor, toFloor] = [FLOORS.indexOf(fromRoom), FLOORS.indexOf(toRoom)]
  if (fromFloor === -1) return undefined // index.ts and testing.ts see everything
  if (toFloor === -1) return "nothing imports the entry points"
  if (toFloor > fromFloor) return `${fromRoom} must not know ${toRoom}`
  if (fromRoom === "system" && toRoom === "services") return "system knows no contract"
  if (to === "layers/FleetLive.ts" && !from.startsWith("layers/McpLive/")) return "only McpLive/ loads the fleet"
  if (fromRoom === "layers" && toRoom === "layers" && layerOf(from) !== layerOf(to) && !COMPOSE.has(layerOf(from))) {
    return "a layer knows contracts, not other layers; only McpLive.ts and FleetLive.ts compose"
  }
  if (fromRoom === "programs" && isPrivate(to)) return "what is in a layer's folder is the layer's alone"
  return undefined
}

/** Packages of one wing, and the rooms that may know their types. */
const FLEET_PACKAGES = /^(?:effect\/(?:cluster|sql)|@effect\/sql-pg)(?:\/|$)/

const foreign = (file) => {
  if (file.startsWith("layers/fleet/")) return []
  const text = readFileSync(join(src, file), "utf8")
  return [...text.matchAll(/^(import|export)( type)? (?:[^"]*? from )?"([^"]+)"/gm)]
    .filter(
      ([, , type, path]) => FLEET_PACKAGES.test(path) && !(type !== undefined && file.startsWith("services/fleet/"))
    )
    .map(
      ([, , , path]) => `src/${file} imports ${path}: only src/layers/fleet/ does, and contracts of the fleet its types`
    )
}

const targetsOf = (file) => {
  const text = readFileSync(join(src, file), "utf8")
  return [...text.matchAll(/(?:from|import)\s*\(?\s*"(\.[^"]+)"/g)].map(([, path]) =>
    relative(src, resolve(src, dirname(file), path))
      .split(sep)
      .join("/")
  )
}
const targets = new Map(files.map((file) => [file, targetsOf(file)]))

/** Files that import each other in a circle, types included: each circle once, from where it was entered. */
const circles = () => {
  const found = []
  const done = new Set()
  const visit = (file, path) => {
    const from = path.indexOf(file)
    if (from !== -1) return void found.push(path.slice(from))
    if (done.has(file)) return
    for (const target of targets.get(file) ?? []) visit(target, [...path, file])
    done.add(file)
  }
  for (const file of files) visit(file, [])
  return found.map((circle) => `${circle.map((file) => `src/${file}`).join(" → ")} → and back: a circle of imports`)
}

const complaints = files.flatMap((file) =>
  targets.get(file).flatMap((target) => {
    const why = complaint(file, target)
    return why === undefined ? [] : [`src/${file} imports src/${target}: ${why}`]
  })
)
complaints.push(...circles(), ...files.flatMap(foreign))

if (complaints.length > 0) {
  console.error(complaints.join("\n"))
  process.exit(1)
}
