/**
 * Fixtures that are programs of their own, and the published servers, each in few files. Tests start them thousands of times, and most
 * of what a start takes is to find, read and strip the modules one by one.
 */
import { build, stop, type Plugin } from "esbuild"
import { createHash } from "node:crypto"
import { existsSync, readFileSync, writeFileSync } from "node:fs"
import { readFile } from "node:fs/promises"
import { join, relative } from "node:path"
import { pathToFileURL } from "node:url"
import manifest from "../../package.json" with { type: "json" }
import { filesBelow, inProject, publish } from "../../scripts/publish.ts"
import { builtName, FIXTURES_VARIABLE, REAL_SERVERS, sourceOf } from "../fixtures/servers.ts"

const PROGRAMS = [
  "channels.ts",
  "fewFiles.ts",
  "fleet/listener.ts",
  "fleetNode.ts",
  "gateway.ts",
  "hostTools.ts",
  "hostile-client/turns.ts",
  "hostile-server/main.ts",
  "leaky.ts",
  "listener/crowd.ts",
  "listener/stdio.ts",
  "media.ts",
  "modern.ts",
  "notebook.ts",
  "oauthClient.ts",
  "parrot.ts",
  "rugPull.ts",
  "secretCommand.ts",
  "shell.ts",
  "shifting.ts",
  "telemetry/carrier.ts"
]

const FOLDER = inProject(".build/fixtures")
const BUILT = join(FOLDER, "built")
const SOURCES = ["src", "test/fixtures", "test/support", "package-lock.json"].map(inProject)

const digest = (): string => {
  const hash = createHash("sha256")
  for (const source of SOURCES) {
    const files = source.endsWith(".json") ? [source] : filesBelow(source).map((path) => join(source, path))
    for (const file of files.toSorted()) hash.update(`${file}\0`).update(readFileSync(file)).update("\0")
  }
  return hash.digest("hex")
}

/** What stands beside a module is still found from there. */
const inPlace: Plugin = {
  name: "in-place",
  setup: ({ onLoad }) =>
    onLoad({ filter: /[\\/](?:src|test)[\\/].*\.ts$|[\\/]server-\w+[\\/]dist[\\/].*\.js$/ }, async ({ path }) => ({
      contents: (await readFile(path, "utf8")).replaceAll("import.meta.url", JSON.stringify(pathToFileURL(path).href)),
      loader: path.endsWith(".ts") ? "ts" : "js"
    }))
}

const made = async (): Promise<void> => {
  const entries = [
    ...PROGRAMS.map((file) => ({ in: inProject(`test/fixtures/${file}`), out: file.replace(/\.ts$/, "") })),
    ...REAL_SERVERS.map((name) => ({ in: sourceOf(name), out: builtName(name) }))
  ]
  const { outputFiles } = await build({
    absWorkingDir: inProject("."),
    entryPoints: entries,
    outdir: FOLDER,
    outExtension: { ".js": ".mjs" },
    chunkNames: "part-[hash]",
    splitting: true,
    bundle: true,
    write: false,
    platform: "node",
    format: "esm",
    target: "node22",
    legalComments: "none",
    logLevel: "error",
    external: Object.keys(manifest.peerDependencies),
    banner: {
      js: 'import { createRequire as __createRequire } from "node:module"; const require = __createRequire(import.meta.url);'
    },
    plugins: [inPlace]
  })
  const files = outputFiles.map(({ contents, path }) => [relative(FOLDER, path), contents] as const)
  const isPart = ([path]: readonly [string, unknown]) => path.startsWith("part-")
  publish(FOLDER, [...files.filter(isPart), ...files.filter((file) => !isPart(file))], (path) => path !== "built")
}

/** Makes them, where something of them has changed. Whoever starts one afterwards gets that. */
export const buildFixtures = async (): Promise<void> => {
  const now = digest()
  if (!existsSync(BUILT) || readFileSync(BUILT, "utf8") !== now) {
    await made()
    // It would wait beside the tests for more to do.
    await stop()
    writeFileSync(BUILT, now)
  }
  process.env[FIXTURES_VARIABLE] = FOLDER
}
