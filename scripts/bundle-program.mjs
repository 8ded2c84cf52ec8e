/** Makes the program behind `bin/mcp-live.js`. Names and lines stay, so that a stack says where something went wrong. */
import { bundle } from "./bundle.mjs"

await bundle({ entry: "src/programs/main.ts", folder: "dist/program", name: "main" })
