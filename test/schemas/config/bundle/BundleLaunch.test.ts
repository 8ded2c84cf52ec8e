import { assert, describe, it } from "@effect/vitest"
import * as Result from "effect/Result"
import * as Schema from "effect/Schema"
import { bundleEntry, programOf, questionsOf, unfit } from "../../../../src/schemas/config/bundle/BundleLaunch.ts"
import { Manifest } from "../../../../src/schemas/config/bundle/Manifest.ts"
import { typed } from "../../../../src/schemas/config/Question.ts"
import { manifest } from "../../../fixtures/bundles/bundles.ts"

const DIRECTORY = "/data/bundles/x"
const ground = { platform: "linux", home: "/home/me" } as const
const decoded = (given: object) => Schema.decodeUnknownSync(Manifest)(given)

const built = (given: object, values: Record<string, string | ReadonlyArray<string>> = {}) =>
  bundleEntry(
    decoded(given),
    DIRECTORY,
    ground,
    new Map(Object.entries(values).map(([key, value]) => [key, [value].flat().map((text) => typed(text))]))
  )
const entry = (...given: Parameters<typeof built>) => Result.getOrThrow(built(...given))
const problem = (...given: Parameters<typeof built>) => {
  const result = built(...given)
  return Result.isFailure(result) ? result.failure : assert.fail(JSON.stringify(result.success))
}

const started = (mcp_config: object, type = "node") => ({
  ...manifest,
  server: { type, entry_point: "server/run", mcp_config }
})

describe("a bundle", () => {
  it("asks for what its manifest says", () => {
    assert.deepStrictEqual(
      questionsOf(decoded(manifest), ground).map(({ format, key, max, preset, repeated, required, secret }) => ({
        format,
        key,
        max,
        preset,
        repeated,
        required,
        secret
      })),
      [
        {
          key: "folders",
          format: "filepath",
          preset: ["/home/me/Desktop"],
          repeated: true,
          required: false,
          secret: false,
          max: undefined
        },
        { key: "api_key", format: "string", preset: [], repeated: false, required: true, secret: true, max: undefined },
        { key: "limit", format: "number", preset: ["3"], repeated: false, required: false, secret: false, max: 10 }
      ]
    )
  })

  it("is started in its folder; a list becomes several arguments", () => {
    assert.deepStrictEqual(entry(manifest, { folders: ["/a", "/b"], api_key: "secret://file/k", limit: "3" }), {
      command: "node",
      args: [`${DIRECTORY}/server/index.mjs`, "/a", "/b", "--home=/home/me"],
      env: { API_KEY: "secret://file/k", LIMIT: "3" },
      cwd: DIRECTORY
    })
    // What has no value is left out.
    assert.deepStrictEqual(entry(manifest), {
      command: "node",
      args: [`${DIRECTORY}/server/index.mjs`, "--home=/home/me"],
      cwd: DIRECTORY
    })
  })

  it("has other words for other systems", () => {
    const given = started({
      command: "server/run",
      args: ["a"],
      platform_overrides: { linux: { command: "server/run-linux" }, win32: { args: ["b"] } }
    })
    assert.deepInclude(entry(given), { command: `${DIRECTORY}/server/run-linux`, args: ["a"] })
    assert.strictEqual(programOf(decoded(given), ground), "server/run-linux")
    assert.strictEqual(programOf(decoded(started({ command: "x" }, "binary")), ground), "server/run")
    assert.isUndefined(programOf(decoded(manifest), ground))
    assert.strictEqual(
      unfit(decoded({ ...manifest, compatibility: { platforms: ["darwin"] } }), ground),
      "is for darwin, and this is linux"
    )
    assert.isUndefined(unfit(decoded({ ...manifest, compatibility: { platforms: ["darwin", "linux"] } }), ground))
  })

  it("of Python without a command is started by uv", () => {
    const given = { ...manifest, manifest_version: "0.4", server: { type: "uv", entry_point: "src/server.py" } }
    assert.deepInclude(entry(given), { command: "uv", args: ["run", "--directory", DIRECTORY, "src/server.py"] })
    assert.include(
      problem({ ...manifest, server: { type: "node", entry_point: "x" } }),
      "does not say how it is started"
    )
  })

  it("starts no program outside of its folder by a relative path", () => {
    for (const command of ["../../bin/x", "server/../../z", "./../y", "${__dirname}/../../z"]) {
      assert.include(problem(started({ command })), "outside of its own folder")
    }
    assert.deepInclude(entry(started({ command: "./server/run" })), { command: `${DIRECTORY}/server/run` })
  })

  it("reads no variable and no secret of the user", () => {
    assert.include(problem(started({ command: "node", args: ["secret://env/HOME"] })), "refers to a secret of yours")
    assert.include(
      problem(started({ command: "node", env: { X: "${user_config.a}", Y: "{Secret://file/x}" } })),
      "refers to a secret of yours"
    )
    assert.deepInclude(entry(started({ command: "node", args: ["${PATH}", "${user_config.none}", "${__proto__}"] })), {
      args: ["$${PATH}", "$${user_config.none}", "$${__proto__}"]
    })
    // A value is not looked through again.
    assert.deepInclude(
      entry(started({ command: "node", args: ["${user_config.api_key}"] }), { api_key: "${__dirname}${HOME}" }),
      {
        args: ["$${__dirname}$${HOME}"]
      }
    )
  })

  it("has a known form", () => {
    for (const wrong of [
      { manifest_version: "9.9" },
      { server: { type: "deno", entry_point: "x" } },
      { name: 5 },
      { user_config: { a: { type: "x" } } }
    ]) {
      assert.strictEqual(Schema.decodeUnknownResult(Manifest)({ ...manifest, ...wrong })._tag, "Failure")
    }
  })
})
