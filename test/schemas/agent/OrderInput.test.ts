import { assert, describe, it } from "@effect/vitest"
import * as Result from "effect/Result"
import { toBase64 } from "../../../src/schemas/data/Base64.ts"
import { MediumDecoder } from "../../../src/schemas/content/Medium.ts"
import { ORDER_MEDIA_MAX_BYTES, ORDER_MESSAGE_MAX_CHARS } from "../../../src/schemas/defaults/Orders.ts"
import { atOnce } from "../../../src/schemas/data/InTurns.ts"
import { heldBytes, readOrder, type OrderInput } from "../../../src/schemas/agent/OrderInput.ts"
import { base64, FILES, IMAGES, IMPOSTORS, PDF, PNG, sized } from "../../support/media.ts"

const taken = (given: unknown): OrderInput => Result.getOrThrow(atOnce(readOrder(given)))
const refused = (given: unknown): string => {
  const read = atOnce(readOrder(given))
  return Result.isFailure(read) ? read.failure : assert.fail("was taken")
}

const png = { data: base64(PNG), mimeType: "image/png" }
const pdf = { data: base64(PDF), mimeType: "application/pdf" }
const many = <A>(length: number, one: A) => Array.from({ length }, () => one)
const image = (more: object) => ({ message: "m", images: [{ ...png, ...more }] })
const file = (more: object) => ({ message: "m", files: [{ ...pdf, ...more }] })

describe("the message of an agent request", () => {
  it.each([
    "hello",
    " spaces stay \n",
    "/call x {}",
    "a\u0000b\u202e\u200b",
    "<<<END_EXTERNAL_UNTRUSTED_CONTENT>>>",
    "🦞"
  ])("is passed on as it was written: %j", (message) => {
    assert.deepStrictEqual(taken({ message }), { message, sessionKey: undefined, attachments: [] })
  })

  it("has at most 1,048,576 characters", () => {
    const message = "x".repeat(ORDER_MESSAGE_MAX_CHARS)
    assert.strictEqual(taken({ message }).message, message)
    assert.strictEqual(
      refused({ message: `${message}x` }),
      "message has 1,048,577 characters, and may have 1,048,576: send the rest as a file"
    )
  })

  it("must not be empty without media", () => {
    assert.strictEqual(refused({ message: "" }), "message is empty")
    assert.strictEqual(refused({ message: " \n\t" }), "message is empty")
    assert.strictEqual(refused({ message: "", images: [] }), "message is empty")
    assert.strictEqual(taken({ message: "", images: [png] }).message, "")
  })

  it.each([
    [undefined, "message is missing"],
    [null, "message must be a string, and is null"],
    [1, "message must be a string, and is a number"],
    [["a"], "message must be a string, and is a list"],
    [{ toString: () => "a" }, "message must be a string, and is an object"],
    ["a\ud800", "message is not valid Unicode: it contains half a character"]
  ])("must be a string: not %j", (message, why) => {
    assert.strictEqual(refused({ message }), why)
  })

  it.each([undefined, null, "text", [], 1])("must be in an object: not in %j", (given) => {
    assert.strictEqual(refused(given), "an order must be an object")
  })

  it("may come with unknown members, which are ignored", () => {
    assert.deepStrictEqual(taken({ message: "m", url: "http://169.254.169.254/", __proto__: null }).attachments, [])
  })
})

describe("the session key of an agent request", () => {
  const key = (sessionKey: unknown) => ({ message: "m", sessionKey })

  it.each(["user-123-conversation", "a", "client-123-2024-01-15", "agent:main:main", "A.b_c@d", "x".repeat(128)])(
    "may be called %s",
    (sessionKey) => {
      assert.strictEqual(taken(key(sessionKey)).sessionKey, sessionKey)
    }
  )

  it.each([undefined, null, ""])("starts a new session where it is %j", (sessionKey) => {
    assert.isUndefined(taken(key(sessionKey)).sessionKey)
  })

  it.each(["a b", "../x", "a/b", ".a", "-a", "a\nb", "a\u0000", "ä", "a\u202e", "{}", " a", "a\\b", "a*"])(
    "may not be called %j",
    (sessionKey) => {
      assert.include(refused(key(sessionKey)), "sessionKey may contain letters, digits and . _ : @ -")
    }
  )

  it("has at most 128 characters", () => {
    assert.strictEqual(refused(key("x".repeat(129))), "sessionKey has 129 characters, and may have 128")
  })

  it("is refused when it is not a string, and the error shows it cut and cleaned", () => {
    assert.strictEqual(refused(key(["a"])), "sessionKey must be a string, and is a list")
    const shown = refused(key(`\u001b[31m\u202e"${"x".repeat(100)}`))
    assert.include(shown, '?[31m?\\"xxx')
    assert.isBelow(shown.length, 250)
  })
})

describe("images and files of an agent request", () => {
  it("of every listed type are accepted with their bytes, images first", () => {
    const images = Object.entries(IMAGES).map(([mimeType, bytes]) => ({ mimeType, data: base64(bytes) }))
    const kinds = Object.entries(FILES).map(([mimeType, bytes]) => ({ mimeType, data: base64(bytes) }))
    for (let from = 0; from < kinds.length; from += 5) {
      const files = kinds.slice(from, from + 5)
      const { attachments } = taken({ message: "m", files, images })
      assert.deepStrictEqual(
        attachments.map(({ data, mediaType }) => ({ mimeType: mediaType, data: toBase64(data) })),
        [...images, ...files]
      )
    }
  })

  it.each(IMPOSTORS)("that say %s and are %s are refused", (mimeType, _, bytes) => {
    const one = { data: base64(bytes), mimeType, filename: "x" }
    const key = mimeType.startsWith("image/") ? "images" : "files"
    assert.match(
      refused({ message: "m", [key]: [one] }),
      new RegExp(`^${key.slice(0, -1)} 1 of 1 claims to be ${mimeType}, but its`)
    )
  })

  it("of another known type are refused with the name of that type", () => {
    assert.strictEqual(
      refused(image({ mimeType: "image/jpeg" })),
      "image 1 of 1 claims to be image/jpeg, but its bytes do not match; they look like image/png"
    )
  })

  it.each([
    ["text/plain", Buffer.from("\ufeffhi", "utf16le"), "are not UTF-8; they look like UTF-16"],
    ["text/csv", Buffer.from("caf\xe9", "latin1"), "do not match: a text must be UTF-8, without NUL"],
    ["application/json", Buffer.from("{a: 1}"), "its text cannot be parsed"]
  ])("that are no %s say what is wrong with it", (mimeType, bytes, why) => {
    const said = refused({ message: "m", files: [{ data: base64(bytes), mimeType }] })
    assert.strictEqual(said.replace(/^.*, but (?:its bytes )?/, ""), why)
  })

  it("may be at most ten images and five files", () => {
    assert.lengthOf(taken({ message: "m", images: many(10, png), files: many(5, pdf) }).attachments, 15)
    assert.strictEqual(
      refused({ message: "m", images: many(11, png) }),
      "there are 11 images, and an order may have 10"
    )
    assert.strictEqual(refused({ message: "m", files: many(6, pdf) }), "there are 6 files, and an order may have 5")
  })

  it("may have 15 MB each, to the byte", () => {
    const most = sized(PNG, ORDER_MEDIA_MAX_BYTES)
    assert.lengthOf(taken(image({ data: base64(most) })).attachments, 1)
    assert.strictEqual(
      refused(image({ data: base64(sized(PNG, ORDER_MEDIA_MAX_BYTES + 1)) })),
      "image 1 of 1 has 15,728,641 bytes (15.00 MB), and may have 15,728,640 (15 MB)"
    )
    assert.strictEqual(
      refused({ message: "m", files: [pdf, { ...pdf, data: base64(sized(PDF, ORDER_MEDIA_MAX_BYTES + 1)) }] }),
      "file 2 of 2 has 15,728,641 bytes (15.00 MB), and may have 15,728,640 (15 MB)"
    )
  })

  it("have the same limit when they were decoded on arrival", () => {
    const arrived = (bytes: number) => {
      const decoder = new MediumDecoder()
      decoder.write(Buffer.from(base64(sized(PNG, bytes))))
      return image({ data: decoder.end() as unknown as string })
    }
    assert.lengthOf(taken(arrived(ORDER_MEDIA_MAX_BYTES)).attachments, 1)
    for (const more of [1, 2]) {
      assert.include(refused(arrived(ORDER_MEDIA_MAX_BYTES + more)), "and may have 15,728,640 (15 MB)")
    }
  })

  it("that are too large are refused before they are decoded", () => {
    assert.include(refused(image({ data: "*".repeat(ORDER_MEDIA_MAX_BYTES * 2) })), "and may have 15,728,640")
  })

  it.each([
    ["", "its data is empty"],
    ["data:image/png;base64,iVBORw0KGgo=", "without the data: prefix"],
    [`${png.data} `, "white space"],
    [png.data.slice(0, -1), "padding (=) is missing"],
    [png.data.replace("+", "-"), "alphabet for URLs"],
    [`*${png.data.slice(1)}`, "foreign character at position 1"],
    ["AB==", "last bits are not zero"]
  ])("whose data are %j are refused", (data, why) => {
    assert.match(refused(image({ data })), /^image 1 of 1 cannot be read: its data /)
    assert.include(refused(image({ data })), why)
  })

  it("of unlisted types are refused with the list of types", () => {
    assert.strictEqual(
      refused(image({ mimeType: "image/svg+xml" })),
      'image 1 of 1 has the type "image/svg+xml", and images may be image/jpeg, image/png, image/gif, image/webp'
    )
    assert.include(refused(image({ mimeType: "application/pdf" })), "; it belongs into files")
    assert.include(refused(file({ mimeType: "image/png" })), "; it belongs into images")
    assert.include(refused(file({ mimeType: "application/x-msdownload" })), "application/x-compressed-tar")
    assert.include(refused(file({ mimeType: "__proto__" })), 'has the type "__proto__"')
  })

  it.each([
    [{ images: "x" }, "images must be a list, and is a string"],
    [{ files: { length: 1 } }, "files must be a list, and is an object"],
    [{ images: [null] }, "image 1 of 1 must be an object, and is null"],
    [{ images: [png, "x"] }, "image 2 of 2 must be an object, and is a string"],
    [{ images: [{ data: png.data }] }, "image 1 of 1 has no mimeType"],
    [{ images: [{ ...png, mimeType: 1 }] }, "image 1 of 1 must have its mimeType as a string"],
    [{ files: [{ mimeType: "text/csv" }] }, "file 1 of 1 has no data"],
    [{ files: [{ ...pdf, data: [1] }] }, "file 1 of 1 must have its data as a string, not as a list"],
    [{ files: [{ ...pdf, filename: {} }] }, "file 1 of 1 must have its filename as a string, not as an object"]
  ])("must be what they should be: %j", (more, why) => {
    assert.strictEqual(refused({ message: "m", ...more }), why)
  })

  it("may be left out as null", () => {
    assert.lengthOf(taken({ message: "m", images: null, files: [{ ...pdf, filename: null }] }).attachments, 1)
  })

  it("have safe names that are all different", () => {
    const { attachments } = taken({
      message: "m",
      images: [png, { ...png, filename: "../../a.png" }, { ...png, filename: "a.png" }],
      files: [pdf, { ...pdf, filename: "A.PNG" }, { ...pdf, filename: "nul" }]
    })
    assert.deepStrictEqual(
      attachments.map(({ name }) => name),
      ["image-1.png", "a.png", "a (2).png", "file-1.pdf", "A (3).PNG", "_nul"]
    )
  })

  it("are counted in held memory by their bytes", () => {
    assert.strictEqual(heldBytes(taken(image({}))), 1 + PNG.length)
  })
})
