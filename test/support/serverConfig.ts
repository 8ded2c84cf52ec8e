/** A complete `ServerConfig` with the defaults of the runtime, for tests that need no configuration file. */
import * as Defaults from "../../src/schemas/Defaults.ts"
import type { ServerConfig } from "../../src/schemas/ServerConfig.ts"

export const serverConfig = (name: string, overrides: Partial<ServerConfig> = {}): ServerConfig => ({
  name,
  enabled: true,
  launch: { kind: "stdio", command: "in-memory", args: [], env: {}, cwd: undefined },
  protocol: "auto",
  timeout: Defaults.CONNECT_TIMEOUT_MS,
  toolTimeout: Defaults.CALL_TIMEOUT_MS,
  restartOnCrash: true,
  maxRestarts: Defaults.MAX_RESTARTS,
  toolPrefix: name,
  lazy: false,
  idleTtlMs: 0,
  share: true,
  resources: true,
  tools: { include: ["*"], exclude: [] },
  budget: { bytes: Defaults.RESULT_MAX_BYTES, blocks: Defaults.RESULT_MAX_BLOCKS },
  ...overrides
})
