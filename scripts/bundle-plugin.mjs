/**
 * Makes the plugin for OpenClaw: one folder that stands alone. OpenClaw copies the folder of a plugin each time that it
 * evaluates it, so there is no node_modules in it; and a gateway that starts reads a small file only, the rest is in parts
 * that are read when they are needed.
 */
import { writeFileSync } from "node:fs"
import { join } from "node:path"
import { bundle, inProject, readJson } from "./bundle.mjs"

const { license, version } = readJson(inProject("package.json"))

const folder = await bundle({
  entries: { index: "src/programs/openclawPlugin.ts" },
  folder: "dist/openclaw-plugin",
  minifyWhitespace: true,
  minifySyntax: true
})

const write = (name, value) => writeFileSync(join(folder, name), `${JSON.stringify(value, null, 2)}\n`)

write("package.json", {
  name: "mcp-live-openclaw-plugin",
  version,
  private: true,
  license,
  type: "module",
  openclaw: { extensions: ["./index.js"], compat: { pluginApi: ">=2026.9.0" } }
})
write("openclaw.plugin.json", {
  ...readJson(inProject("src/programs/openclawPlugin/openclaw.plugin.json")),
  version
})
