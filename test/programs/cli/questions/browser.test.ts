import { assert, describe, it } from "@effect/vitest"
import { browserCommand } from "../../../../src/programs/cli/questions/browser.ts"

const SCREEN = { DISPLAY: ":0" }
const PLATFORMS: ReadonlyArray<NodeJS.Platform> = ["linux", "darwin", "win32"]

describe("opening a page", () => {
  it("takes nothing but http and https", () => {
    for (const platform of PLATFORMS) {
      for (const evil of [
        "javascript:alert(1)",
        "file:///etc/passwd",
        "calc.exe",
        "$(touch /tmp/x)",
        "ms-settings:x",
        "-a Calculator",
        "//evil.example",
        ""
      ]) {
        assert.isUndefined(browserCommand(evil, platform, SCREEN), `${platform} ${evil}`)
      }
    }
  })

  it("hands over one argument, in which nothing is left that a shell or a program could take for more", () => {
    const evil = 'https://issuer.example/a b"\'$(x)`y`|&;<>\n?q="a b"&r=`id`'
    for (const platform of PLATFORMS) {
      const { args } = browserCommand(evil, platform, SCREEN)!
      const address = args.at(-1)!
      assert.isTrue(address.startsWith("https://issuer.example/"), platform)
      assert.notMatch(address, /[\s"<>]/, platform)
    }
  })

  it("names programs that know no shell", () => {
    const commands = PLATFORMS.map((platform) => browserCommand("https://a.example/", platform, SCREEN)?.command)
    assert.deepStrictEqual(commands, ["xdg-open", "/usr/bin/open", "C:\\Windows\\System32\\rundll32.exe"])
  })

  it("is not tried where there is no screen", () => {
    assert.isUndefined(browserCommand("https://a.example/", "linux", {}))
    assert.isDefined(browserCommand("https://a.example/", "linux", { WAYLAND_DISPLAY: "wayland-0" }))
  })
})
