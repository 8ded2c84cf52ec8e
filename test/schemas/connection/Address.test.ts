import { assert, describe, it } from "@effect/vitest"
import { hostOf, kindOfAddress, type AddressKind } from "../../../src/schemas/connection/Address.ts"

/** Hosts as somebody may write them, and what they are. */
const BLOCKED: ReadonlyArray<readonly [host: string, kind: AddressKind]> = [
  // This machine, in every notation that a URL knows.
  ["127.0.0.1", "loopback"],
  ["127.255.255.254", "loopback"],
  ["127.1", "loopback"],
  ["0177.0.0.1", "loopback"],
  ["0x7f.1", "loopback"],
  ["0x7f000001", "loopback"],
  ["2130706433", "loopback"],
  ["017700000001", "loopback"],
  ["①②⑦.⓪.⓪.①", "loopback"],
  ["１２７.０.０.１", "loopback"],
  ["127。0。0。1", "loopback"],
  ["127.0.0.1.", "loopback"],
  ["[::1]", "loopback"],
  ["::1", "loopback"],
  ["[0:0:0:0:0:0:0:1]", "loopback"],
  ["[::ffff:7f00:1]", "loopback"],
  ["[::ffff:127.0.0.1]", "loopback"],
  ["0", "unspecified"],
  ["0.0.0.0", "unspecified"],
  ["0.1.2.3", "unspecified"],
  ["[::]", "unspecified"],
  ["[::ffff:0.0.0.0]", "unspecified"],
  // Private networks
  ["10.0.0.1", "private"],
  ["10.255.255.255", "private"],
  ["172.16.0.1", "private"],
  ["172.31.255.255", "private"],
  ["192.168.0.1", "private"],
  ["0xc0a80001", "private"],
  ["[::ffff:10.0.0.1]", "private"],
  ["[fec0::1]", "private"],
  ["169.254.1.1", "linkLocal"],
  ["[fe80::1]", "linkLocal"],
  ["[fe80::1%eth0]", "linkLocal"],
  ["[fe80::1%25eth0]", "linkLocal"],
  ["[febf::1]", "linkLocal"],
  ["100.64.0.1", "shared"],
  ["100.127.255.255", "shared"],
  ["[fc00::1]", "uniqueLocal"],
  ["[fd12:3456::1]", "uniqueLocal"],
  // Nobody's
  ["224.0.0.1", "multicast"],
  ["239.255.255.255", "multicast"],
  ["[ff02::1]", "multicast"],
  ["255.255.255.255", "broadcast"],
  ["240.0.0.1", "reserved"],
  ["192.0.0.1", "reserved"],
  ["192.88.99.1", "reserved"],
  ["[64:ff9b:1::a00:1]", "reserved"],
  ["[100::1]", "reserved"],
  ["[2001:10::1]", "reserved"],
  ["[5f00::1]", "reserved"],
  ["[4000::1]", "reserved"],
  ["192.0.2.1", "documentation"],
  ["198.51.100.7", "documentation"],
  ["203.0.113.9", "documentation"],
  ["[2001:db8::1]", "documentation"],
  ["[3fff::1]", "documentation"],
  ["198.18.0.1", "benchmarking"],
  ["198.19.255.255", "benchmarking"],
  ["[2001:2::1]", "benchmarking"],
  // IPv4 inside of IPv6: NAT64, 6to4, Teredo (server, client), ISATAP, translated, compatible
  ["[64:ff9b::10.0.0.1]", "private"],
  ["[64:ff9b::7f00:1]", "reserved"],
  ["[2002:a00:1::1]", "private"],
  ["[2002:7f00:1::]", "reserved"],
  ["[2001:0:c0a8:101::808:808]", "private"],
  ["[2001:0:808:808::f5ff:fffe]", "private"],
  ["[2607:f8b0::5efe:a00:1]", "private"],
  ["[2607:f8b0::200:5efe:c0a8:1]", "private"],
  ["[::ffff:0:10.0.0.1]", "private"],
  ["[::10.0.0.1]", "reserved"],
  ["[::7f00:1]", "reserved"],
  // Clouds
  ["169.254.169.254", "metadata"],
  ["0xa9fea9fe", "metadata"],
  ["2852039166", "metadata"],
  ["169。254。169。254", "metadata"],
  ["[::ffff:a9fe:a9fe]", "metadata"],
  ["[64:ff9b::a9fe:a9fe]", "metadata"],
  ["[2002:a9fe:a9fe::]", "metadata"],
  ["[fe80::5efe:a9fe:a9fe]", "metadata"],
  ["169.254.170.2", "metadata"],
  ["100.100.100.200", "metadata"],
  ["168.63.129.16", "metadata"],
  ["[fd00:ec2::254]", "metadata"],
  ["[fd20:ce::254]", "metadata"]
]

const PUBLIC = [
  "1.1.1.1",
  "8.8.8.8",
  "9.255.255.255",
  "11.0.0.1",
  "93.184.216.34",
  "100.63.255.255",
  "100.128.0.1",
  "126.255.255.255",
  "128.0.0.1",
  "169.253.255.255",
  "172.15.255.255",
  "172.32.0.1",
  "192.0.1.1",
  "192.167.255.255",
  "192.169.0.1",
  "198.17.255.255",
  "198.20.0.1",
  "223.255.255.255",
  "134744072",
  "[2001:4860:4860::8888]",
  "[2606:4700:4700::1111]",
  "[2a00:1450:4001::200e]",
  "[2001:200::1]",
  "[::ffff:8.8.8.8]",
  "[64:ff9b::808:808]",
  "[2002:808:808::1]",
  "[2001:0:808:808::f7f7:f7f7]"
]

describe("Address: hosts that are IP addresses", () => {
  it("are recognised with their kind in more than fifty spellings that are not public", () => {
    assert.isAtLeast(BLOCKED.length, 50)
    for (const [host, kind] of BLOCKED) {
      const judged = hostOf(host)
      assert.isTrue(judged.is === "literal" && judged.kind === kind, `${host}: ${JSON.stringify(judged)}`)
    }
  })

  it("are recognised as public in more than sixteen spellings", () => {
    assert.isAtLeast(PUBLIC.length, 16)
    for (const host of PUBLIC) assert.include(hostOf(host), { is: "literal", kind: "public" }, host)
  })

  it("have the same kind as the hostname of a URL", () => {
    for (const [host, kind] of BLOCKED) {
      const url = URL.parse(`http://${host.includes(":") && !host.startsWith("[") ? `[${host}]` : host}:80/mcp`)
      // A URL has no zones.
      if (url !== null) assert.include(hostOf(url.hostname), { is: "literal", kind }, host)
      else assert.include(host, "%")
    }
  })
})

describe("Address: hosts that are names", () => {
  it("are localhost in any spelling", () => {
    for (const host of [
      "localhost",
      "LOCALHOST",
      "localhost.",
      "localhost..",
      "ｌocalhost",
      "a.localhost",
      "a.b.localhost."
    ]) {
      assert.strictEqual(hostOf(host).is, "localhost", host)
    }
  })

  it("are local with the suffixes of local networks", () => {
    for (const host of ["printer.local", "db.internal", "PRINTER.LOCAL.", "localhost.localdomain", "nas.home.arpa"]) {
      assert.strictEqual(hostOf(host).is, "local", host)
    }
  })

  it("are metadata when a cloud gives out credentials there", () => {
    for (const host of ["metadata.google.internal", "Metadata.Google.Internal.", "metadata", "metadata.goog"]) {
      assert.strictEqual(hostOf(host).is, "metadata", host)
    }
  })

  it("are ordinary names when they only look similar", () => {
    for (const host of [
      "example.com",
      "mylocalhost",
      "localhost.example.com",
      "local",
      "internal",
      "xn--bcher-kva.example"
    ]) {
      assert.strictEqual(hostOf(host).is, "name", host)
    }
  })

  it("are unreadable when they are not valid hosts", () => {
    const hosts = [
      "",
      " ",
      "[",
      "[]",
      "a b",
      "user@10.0.0.1",
      "8.8.8.8/../10.0.0.1",
      "8.8.8.8#10.0.0.1",
      "8.8.8.8\\10.0.0.1",
      "8.8.8.8:80",
      "1.2.3.4.5",
      "256.1.1.1",
      "0x100000000",
      "4294967296",
      "[::1]:80",
      "[::1%]x",
      "1::2::3",
      "exa mple.com",
      "a\0b"
    ]
    for (const host of hosts) assert.strictEqual(hostOf(host).is, "unreadable", JSON.stringify(host))
  })
})

describe("Address: addresses of sockets and DNS answers", () => {
  it("have their kind with and without a zone", () => {
    assert.strictEqual(kindOfAddress("fe80::1%eth0"), "linkLocal")
    assert.strictEqual(kindOfAddress("fe80::1%br-0.100"), "linkLocal")
    assert.strictEqual(kindOfAddress("fe80::a9fe:a9fe%2"), "metadata")
    assert.strictEqual(kindOfAddress("::ffff:127.0.0.1"), "loopback")
    assert.strictEqual(kindOfAddress("2606:4700:4700::1111"), "public")
  })

  it("are never public when they are not valid", () => {
    for (const text of [
      "",
      "localhost",
      "1.2.3",
      "%eth0",
      "10.0.0.1/8",
      "::%",
      "x".repeat(100_000),
      "1:".repeat(50_000)
    ]) {
      assert.notStrictEqual(kindOfAddress(text), "public", text.slice(0, 20))
    }
  })

  it("are unreadable in notations that parsers read differently", () => {
    for (const text of ["127.1", "0177.0.0.1", "0x7f.0.0.1", "::ffff:0x7f.0.0.1", "::ffff:010.0.0.1", "::1.2.3", ""]) {
      assert.strictEqual(kindOfAddress(text), "unreadable", text)
    }
  })
})
