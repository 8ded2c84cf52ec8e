import { assert } from "@effect/vitest"
import * as Effect from "effect/Effect"
import { existsSync, readFileSync } from "node:fs"
import { echoed, noted, textOf, type Expectations, type Play } from "../expectation.ts"

/** Of the machine that this runs on; nothing of it may be anywhere. */
const PASSWD = existsSync("/etc/passwd") ? readFileSync("/etc/passwd", "utf8").split("\n")[0]! : "root:"

const opaque = ({ values }: Play) => assert.notInclude(JSON.stringify(values), PASSWD)

export const RES: Expectations = {
  "odd-uris": {
    says: /quoth my own words/,
    check: Effect.fnUntraced(function* (play) {
      opaque(play)
      for (const uri of [
        "http://169.254.169.254/latest/meta-data/",
        "http://127.0.0.1:9/internal",
        "test://..%2f..%2fetc%2fpasswd"
      ]) {
        const result = play.take(yield* play.runtime.call("mcp_bad_read_resource", { uri }))
        assert.include(textOf(result), "quoth my own words", "only its server is asked for it")
      }
    })
  },
  "many-links": {
    check: (play) => {
      opaque(play)
      const read = play.requests().filter(({ method }) => method === "resources/read")
      assert.isEmpty(
        read.filter(({ body }) => !JSON.stringify(body).includes('"test://')),
        "links are not followed"
      )
      assert.isAtLeast(textOf(play.results[0]!).length, 1_000)
    }
  },
  "odd-templates": { says: /quoth a template/, check: opaque },
  "many-resources": {
    check: ({ status }) => {
      assert.isAtLeast(status.resources, 100)
      assert.isAtMost(status.resources, 2_000)
    }
  },
  "odd-contents:mime": { says: /quoth a type/, lacks: /^x-injected/m },
  "odd-contents:both": { says: /\[Resource: test:\/\/one, image\/png\]\nquoth a text\n/ },
  "odd-contents:neither": {
    error: "ProtocolError",
    says: /an invalid tool result: its content holds a resource without text or data/
  },
  "odd-contents:base64": {
    says: /\[Image: image\/png, 12 B, not base64\]/,
    check: (play) => {
      noted(/^an image is named, not shown: not base64$/)(play)
      assert.isTrue(play.results[0]!.content.every(({ type }) => type === "text"))
    }
  },
  "odd-contents:elsewhere": { says: /quoth another resource/, check: opaque },
  "odd-contents:many": { says: /quoth 0/ },
  "odd-contents:blob": { error: "MessageTooLarge", alone: true, stdio: { roomMb: 300 } },
  "odd-contents:none": { error: "ProtocolError" },
  "odd-contents:text": { error: "ProtocolError" },
  "update-storm": { ...echoed, keys: { toolTimeout: 15_000 } },
  "update-storm:1000000": { ...echoed, roomMb: 300 }
}
