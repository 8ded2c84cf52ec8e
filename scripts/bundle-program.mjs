/** Makes the program behind `bin/mcp-live.js`, and the one that becomes another. Names and lines stay, so that a stack says where something went wrong. */
import { bundle } from "./bundle.mjs"

await bundle({
  entries: { main: "src/programs/main.ts", exec: "src/programs/exec.ts" },
  folder: "dist/program",
  keepsParts: true
})
