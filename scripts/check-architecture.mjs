/**
 * Fails when an import runs against the grain: programs → layers → services → schemas. Inside `layers/` only McpLive.ts
 * may import other implementations; a folder beside a layer belongs to that layer alone. What several layers need of the
 * operating system is in `system/`: a cellar under the layers that no contract knows, and that knows schemas alone.
 */
import { readdirSync, readFileSync } from "node:fs"
import { dirname, join, relative, resolve, sep } from "node:path"
import { fileURLToPath } from "node:url"

const src = fileURLToPath(new URL("../src", import.meta.url))
const FLOORS = ["schemas", "services", "system", "layers", "programs"]

const files = readdirSync(src, { recursive: true })
  .filter((file) => file.endsWith(".ts"))
  .map((file) => file.split(sep).join("/"))

/** Inside `layers/`: the layer that a file belongs to (`ServerConnector` for both the file and its folder). */
const layerOf = (file) => file.split("/")[1]?.replace(/\.ts$/, "")

const complaint = (from, to) => {
  const [fromRoom, toRoom] = [from.split("/")[0], to.split("/")[0]]
  const [fromFloor, toFloor] = [FLOORS.indexOf(fromRoom), FLOORS.indexOf(toRoom)]
  if (fromFloor === -1) return undefined // index.ts and testing.ts see everything
  if (toFloor === -1) return "nothing imports the entry points"
  if (toFloor > fromFloor) return `${fromRoom} must not know ${toRoom}`
  if (fromRoom === "system" && toRoom === "services") return "system knows no contract"
  if (fromRoom === "layers" && toRoom === "layers" && layerOf(from) !== layerOf(to) && layerOf(from) !== "McpLive") {
    return "a layer knows contracts, not other layers; only McpLive.ts composes"
  }
  return undefined
}

const complaints = files.flatMap((file) => {
  const text = readFileSync(join(src, file), "utf8")
  const imports = [...text.matchAll(/(?:from|import)\s*\(?\s*"(\.[^"]+)"/g)].map((match) => match[1])
  return imports.flatMap((path) => {
    const target = relative(src, resolve(src, dirname(file), path))
      .split(sep)
      .join("/")
    const why = complaint(file, target)
    return why === undefined ? [] : [`src/${file} imports src/${target}: ${why}`]
  })
})

if (complaints.length > 0) {
  console.error(complaints.join("\n"))
  process.exit(1)
}
