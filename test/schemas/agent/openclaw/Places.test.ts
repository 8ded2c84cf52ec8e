import { assert, describe, it } from "@effect/vitest"
import { openclawConfigFile, openclawStateDirectory } from "../../../../src/schemas/agent/openclaw/Places.ts"

const HOME = "/home/ada"

const ROWS: ReadonlyArray<readonly [why: string, env: Record<string, string>, file: string]> = [
  ["nothing is set", {}, "/home/ada/.openclaw/openclaw.json"],
  ["the file is named", { OPENCLAW_CONFIG_PATH: "/etc/oc.json", OPENCLAW_STATE_DIR: "/x" }, "/etc/oc.json"],
  ["the file is named from home", { OPENCLAW_CONFIG_PATH: "~/oc.json" }, "/home/ada/oc.json"],
  ["the folder is named", { OPENCLAW_STATE_DIR: "/var/oc" }, "/var/oc/openclaw.json"],
  ["it has another home", { OPENCLAW_HOME: "/srv/oc" }, "/srv/oc/.openclaw/openclaw.json"],
  ["its home is below ours", { OPENCLAW_HOME: "~/svc", OPENCLAW_STATE_DIR: "~/s" }, "/home/ada/svc/s/openclaw.json"],
  ["there is a profile", { OPENCLAW_PROFILE: "work" }, "/home/ada/.openclaw-work/openclaw.json"],
  ["the profile is none", { OPENCLAW_PROFILE: "../x" }, "/home/ada/.openclaw/openclaw.json"],
  ["values say nothing", { OPENCLAW_HOME: " ", OPENCLAW_STATE_DIR: "undefined" }, "/home/ada/.openclaw/openclaw.json"]
]

describe("the path of OpenClaw's configuration", () => {
  for (const [why, env, file] of ROWS) {
    it(`is found when ${why}`, () => assert.strictEqual(openclawConfigFile(env, HOME), file))
  }

  it("is in OpenClaw's state directory", () => {
    assert.strictEqual(openclawStateDirectory({ OPENCLAW_HOME: "/srv" }, HOME), "/srv/.openclaw")
  })
})
