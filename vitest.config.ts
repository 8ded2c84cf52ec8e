import { defineConfig } from "vitest/config"

// unit: no process, no socket. integration: real servers and sockets. e2e: the program as a user runs it.
const project = (name: string, include: Array<string>, options: Record<string, unknown> = {}) => ({
  extends: true as const,
  test: { name, include, ...options }
})

export default defineConfig({
  test: {
    testTimeout: 60_000,
    hookTimeout: 60_000,
    coverage: { include: ["src/**"], reporter: ["text-summary", "html"] },
    projects: [
      project("unit", ["test/{schemas,layers,programs}/**/*.test.ts"]),
      project("integration", ["test/integration/**/*.test.ts"]),
      project("e2e", ["test/e2e/**/*.test.ts"], { globalSetup: "test/e2e/build.ts", fileParallelism: false })
    ]
  }
})
