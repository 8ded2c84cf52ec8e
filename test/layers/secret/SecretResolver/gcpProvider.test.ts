import { assert, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import { crc32c } from "../../../../src/layers/secret/SecretResolver/crc32c.ts"
import * as GcpProvider from "../../../../src/layers/secret/SecretResolver/gcpProvider.ts"
import type { GcpModule } from "../../../../src/layers/secret/SecretResolver/gcpSdk.ts"

const context = { env: {}, home: "/nowhere", reveal: Effect.succeed, mask: () => {} }

/** Asks for the value of nothing: what is refused is refused before. */
const reading = (path: string, version?: string, project: string | undefined = "work") => {
  const asked: Array<string> = []
  const sdk: GcpModule = {
    SecretManagerServiceClient: class {
      initialize = async () => {}
      getProjectId = async () => "../../else"
      accessSecretVersion = async ({ name }: { readonly name: string }) => {
        asked.push(name)
        return [{ payload: { data: Buffer.from("value") } }]
      }
    }
  }
  const { read } = GcpProvider.make({ project }, context, Effect.succeed(sdk))
  return Effect.map(Effect.result(read(path, version)), (result) => ({ result, asked }))
}

describe("a reference to Google Secret Manager", () => {
  const REFUSED: ReadonlyArray<readonly [path: string, version: string | undefined, expected: RegExp]> = [
    ["", undefined, /not the name of a secret/],
    ["a.b", undefined, /not the name of a secret/],
    ["a b", undefined, /not the name of a secret/],
    ["naïve", undefined, /not the name of a secret/],
    ["a".repeat(256), undefined, /not the name of a secret/],
    ["a/b", undefined, /not of the form secret:\/\/gcp\/NAME or/],
    ["projects/work/secrets/a/versions/1", undefined, /not of the form/],
    ["projects/work/locations/here/secrets/a", undefined, /not of the form/],
    ["projects/../secrets/a", undefined, /not the id of a Google Cloud project/],
    ["projects/--help/secrets/a", undefined, /not the id of a Google Cloud project/],
    ["projects/WORK/secrets/a", undefined, /not the id of a Google Cloud project/],
    ["a", "", /not a version/],
    ["a", "-1", /not a version/],
    ["a", "--help", /not a version/],
    ["a", "1.5", /not a version/],
    ["a", "1:access", /not a version/]
  ]
  for (const [path, version, expected] of REFUSED) {
    it.effect(`is refused before a request is made: ${path.slice(0, 60)}#${version ?? ""}`, () =>
      Effect.gen(function* () {
        const { asked, result } = yield* reading(path, version)
        assert.match(result._tag === "Failure" ? result.failure : "", expected)
        assert.deepStrictEqual(asked, [])
      })
    )
  }

  const TAKEN: ReadonlyArray<readonly [path: string, version: string | undefined, name: string]> = [
    ["A-b_1", undefined, "projects/work/secrets/A-b_1/versions/latest"],
    ["-x", "12", "projects/work/secrets/-x/versions/12"],
    ["x", "my-alias", "projects/work/secrets/x/versions/my-alias"],
    ["projects/123456/secrets/x", undefined, "projects/123456/secrets/x/versions/latest"],
    ["projects/example.com:old/secrets/x", "1", "projects/example.com:old/secrets/x/versions/1"]
  ]
  for (const [path, version, name] of TAKEN) {
    it.effect(`is accepted: ${path}#${version ?? ""}`, () =>
      Effect.gen(function* () {
        const { asked, result } = yield* reading(path, version)
        assert.strictEqual(result._tag, "Success")
        assert.deepStrictEqual(asked, [name])
      })
    )
  }

  it.effect("is read with one client, which is made again only when its setup failed", () =>
    Effect.gen(function* () {
      let made = 0
      const sdk: GcpModule = {
        SecretManagerServiceClient: class {
          readonly mine = ++made
          initialize = () =>
            this.mine === 1 ? Promise.reject(new Error("no credentials: hunter2")) : Promise.resolve()
          getProjectId = async () => "work"
          accessSecretVersion = async () => [{ payload: { data: Buffer.from("value") } }]
        }
      }
      const { read } = GcpProvider.make({}, context, Effect.succeed(sdk))
      assert.match(yield* Effect.flip(read("x", undefined)), /^no Google credentials were found: GOOGLE_APPLICATION/)
      for (const name of ["x", "y"]) assert.strictEqual(yield* read(name, undefined), "value")
      assert.strictEqual(made, 2)
    })
  )

  it.effect("is refused when the project from the environment is not a project ID", () =>
    Effect.gen(function* () {
      for (const project of ["--help", "../else"]) {
        const { asked, result } = yield* reading("x", undefined, project)
        assert.match(result._tag === "Failure" ? result.failure : "", /not the id of a Google Cloud project/)
        assert.deepStrictEqual(asked, [])
      }
      const { asked, result } = yield* reading("x", undefined, "")
      assert.match(result._tag === "Failure" ? result.failure : "", /no Google Cloud project is known/)
      assert.deepStrictEqual(asked, [])
    })
  )
})

describe("the checksum of Google Secret Manager", () => {
  it("is CRC-32C", () => {
    // The check value of the algorithm, and those of iSCSI (RFC 3720, B.4).
    assert.strictEqual(crc32c(Buffer.from("123456789")), 0xe3069283)
    assert.strictEqual(crc32c(new Uint8Array(32)), 0x8a9136aa)
    assert.strictEqual(crc32c(new Uint8Array(32).fill(0xff)), 0x62a8ab43)
    assert.strictEqual(crc32c(new Uint8Array()), 0)
  })
})
