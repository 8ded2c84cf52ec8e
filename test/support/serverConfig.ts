/** A complete `ServerConfig` with the defaults of the runtime, for tests that need no configuration file. */
import * as ServerConfig from "../../src/schemas/connection/ServerConfig.ts"

const LAUNCH: ServerConfig.Launch = { kind: "stdio", command: "in-memory", args: [], env: {}, cwd: undefined }

export const serverConfig = (name: string, overrides: Partial<ServerConfig.ServerConfig> = {}) =>
  ServerConfig.serverConfig(name, LAUNCH, overrides)
