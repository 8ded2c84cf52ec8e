import type { Plugin } from "vite"
import { defineConfig } from "vitest/config"
import manifest from "./package.json" with { type: "json" }

// unit: no process, no socket. integration: real servers and sockets. e2e: the program as a user runs it. interop: peers
// that are installed for it alone. openclaw: a real gateway, likewise.
const project = (name: string, include: Array<string>, options: Record<string, unknown> = {}) => ({
  extends: true as const,
  test: { name, include, ...options }
})

/** An optional peer that is not installed fails to import as it does in Node, not by a stand-in of Vite's. */
const optionalPeers = Object.keys(manifest.peerDependenciesMeta)
const asInNode: Plugin = {
  name: "optional-peers-as-in-node",
  enforce: "pre",
  resolveId: (id) => (optionalPeers.includes(id) ? { id, external: true } : null)
}

/** Where processes are started, some of them dozens in one test: more than that takes on a machine that has much else to do. */
const PATIENT_MS = 180_000

export default defineConfig({
  plugins: [asInNode],
  test: {
    // What tests keep stays out of the home directory of who runs them.
    setupFiles: ["test/support/home.ts"],
    testTimeout: 60_000,
    hookTimeout: 60_000,
    coverage: {
      include: ["src/**"],
      reporter: ["text-summary", "html"],
      // Of `npm run test:coverage`, the processes that tests start not counted.
      thresholds: { lines: 90, branches: 85 }
    },
    projects: [
      project("unit", ["test/{schemas,system,layers,programs}/**/*.test.ts"]),
      project("integration", ["test/integration/**/*.test.ts"], { testTimeout: PATIENT_MS }),
      project("e2e", ["test/e2e/**/*.test.ts"], {
        globalSetup: "test/e2e/build.ts",
        // What a killed program has left is ended by the next one that starts: by the one that is meant.
        fileParallelism: false,
        testTimeout: PATIENT_MS
      }),
      project("interop", ["test/interop/**/*.test.ts"], { globalSetup: "test/interop/install.ts" }),
      project("openclaw", ["test/openclaw/**/*.test.ts"], {
        globalSetup: "test/openclaw/gateway.ts",
        fileParallelism: false,
        testTimeout: 240_000,
        hookTimeout: 240_000
      })
    ]
  }
})
