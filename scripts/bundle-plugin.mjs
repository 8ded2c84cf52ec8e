/**
 * Makes the plugin for OpenClaw: one folder that stands alone. OpenClaw copies the folder of a plugin each time that it
 * evaluates it, so there is no node_modules in it; and a gateway that starts reads a small file only, the rest is in parts
 * that are read when they are needed.
 */
import { bundle, readJson } from "./bundle.mjs"
import { inProject } from "./publish.ts"

const { license, version } = readJson(inProject("package.json"))

const json = (value) => `${JSON.stringify(value, null, 2)}\n`

await bundle({
  entries: { index: "src/programs/openclawPlugin.ts" },
  folder: "dist/openclaw-plugin",
  more: {
    "package.json": json({
      name: "mcp-live-openclaw-plugin",
      version,
      private: true,
      license,
      type: "module",
      openclaw: { extensions: ["./index.js"], compat: { pluginApi: ">=2026.9.0" } }
    }),
    "openclaw.plugin.json": json({
      ...readJson(inProject("src/programs/openclawPlugin/openclaw.plugin.json")),
      version
    })
  },
  minifyWhitespace: true,
  minifySyntax: true
})
