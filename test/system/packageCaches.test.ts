/** Packages on this machine, in folders as npm and uv make them. */
import { assert, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import { mkdirSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { fetchedPackage } from "../../src/schemas/connection/FetchedPackage.ts"
import { heldPackage, manifestAbove } from "../../src/system/packageCaches.ts"
import { inFolder } from "../support/folder.ts"

const install = (folder: string, name: string, version: string, node?: string) => {
  const place = join(folder, "node_modules", name)
  mkdirSync(place, { recursive: true })
  writeFileSync(join(place, "package.json"), JSON.stringify({ name, version, engines: { node } }))
}

const setUp = Effect.map(inFolder, (folder) => {
  const [home, cwd] = [join(folder, "home"), join(folder, "project", "deep")]
  mkdirSync(home)
  mkdirSync(cwd, { recursive: true })
  const look = (args: ReadonlyArray<string>, { env = {}, runner = "npx" } = {}) =>
    heldPackage(fetchedPackage(runner, args)!, { env, home, cwd, runner: join(folder, "usr", "bin", runner) })
  return { folder, home, cwd, look }
})

describe("a package that npx would fetch", () => {
  it.effect("is missing, until the project, the global packages or the cache have it", () =>
    Effect.gen(function* () {
      const { folder, home, look } = yield* setUp
      for (const [place, name] of [
        [join(folder, "project"), "@x/project"],
        [join(folder, "usr", "lib"), "global"],
        [join(home, ".npm", "_npx", "0123456789abcdef"), "cached"]
      ] as const) {
        assert.deepInclude(look(["-y", name]), { cached: false })
        install(place, name, "1.2.3", ">=20")
        assert.deepInclude(look(["-y", name]), { cached: true, version: "1.2.3", node: ">=20" })
        assert.deepInclude(look(["-y", `${name}@1.2.3`]), { cached: true })
        assert.deepInclude(look(["-y", `${name}@9.9.9`]), { cached: false })
      }
    }).pipe(Effect.scoped)
  )

  it.effect("may be elsewhere, where settings say so", () =>
    Effect.gen(function* () {
      const { folder, home, look } = yield* setUp
      writeFileSync(join(home, ".npmrc"), "cache=/elsewhere\n")
      assert.isUndefined(look(["-y", "some"]).cached)
      const cache = join(folder, "other")
      const env = { npm_config_cache: cache }
      assert.isFalse(look(["-y", "some"], { env }).cached)
      install(join(cache, "_npx", "0123456789abcdef"), "some", "1.0.0")
      assert.isTrue(look(["-y", "some"], { env }).cached)
    }).pipe(Effect.scoped)
  )

  it.effect("is unknown for what is no name of a registry, and for other runners", () =>
    Effect.gen(function* () {
      const { look } = yield* setUp
      assert.isUndefined(look(["github:x/y"]).cached)
      assert.isUndefined(look(["some"], { runner: "bunx" }).cached)
    }).pipe(Effect.scoped)
  )
})

describe.skipIf(process.platform === "win32")("a package that uvx would fetch", () => {
  it.effect("is missing, until the cache or the installed tools have it", () =>
    Effect.gen(function* () {
      const { home, look } = yield* setUp
      const uv = { runner: "uvx" }
      assert.isFalse(look(["mcp_server.time"], uv).cached)
      mkdirSync(join(home, ".cache/uv/wheels-v5/pypi/mcp-server-time/2.1.0-py3-none-any"), { recursive: true })
      assert.deepInclude(look(["mcp_server.time"], uv), { cached: true, version: "2.1.0" })
      assert.isTrue(look(["mcp-server-time==2.1.0"], uv).cached)
      assert.isFalse(look(["mcp-server-time==2.2.0"], uv).cached)
      mkdirSync(join(home, ".local/share/uv/tools/other"), { recursive: true })
      assert.isTrue(look(["other"], uv).cached)
    }).pipe(Effect.scoped)
  )
})

describe("the package of a script", () => {
  it.effect("is the nearest one above it", () =>
    Effect.gen(function* () {
      const folder = yield* inFolder
      mkdirSync(join(folder, "dist"))
      writeFileSync(join(folder, "package.json"), JSON.stringify({ engines: { node: ">=99" } }))
      assert.deepInclude(manifestAbove(join(folder, "dist", "index.js")), { node: ">=99" })
    }).pipe(Effect.scoped)
  )
})
