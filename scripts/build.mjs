/** Everything in `dist`: the library, the program, the plugin for OpenClaw. */
import { execFileSync } from "node:child_process"
import { inProject } from "./bundle.mjs"

const node = (...args) => execFileSync(process.execPath, args.map(inProject), { stdio: "inherit" })

execFileSync(process.execPath, [inProject("node_modules/typescript/bin/tsc"), "-p", inProject("tsconfig.build.json")], {
  stdio: "inherit"
})
node("scripts/bundle-program.mjs")
node("scripts/bundle-plugin.mjs")
