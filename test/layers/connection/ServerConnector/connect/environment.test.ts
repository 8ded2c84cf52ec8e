import { assert, describe, it } from "@effect/vitest"
import {
  hostNetwork,
  invalidName,
  serverEnvironment
} from "../../../../../src/layers/connection/ServerConnector/connect/environment.ts"

describe("the environment of a server", () => {
  it("is a few harmless names of the host's and what is configured", () => {
    const host = {
      PATH: "/bin",
      LC_ALL: "C",
      LC_: "x",
      NODE_OPTIONS: "--inspect",
      TOKEN: "t",
      HOME: "() { :; }",
      TZ: undefined
    }
    assert.deepStrictEqual(serverEnvironment(host, { OWN: "1", PATH: "/own" }, "linux"), {
      PATH: "/own",
      LC_ALL: "C",
      OWN: "1"
    })
  })

  it("says how deep a chain of orders is, on every system", () => {
    const host = { MCP_LIVE_ORDER_DEPTH: "2", MCP_LIVE_HOME: "/x" }
    for (const platform of ["linux", "win32"] as const) {
      assert.deepStrictEqual(serverEnvironment(host, {}, platform), { MCP_LIVE_ORDER_DEPTH: "2" })
    }
  })

  it("says how this machine reaches the network: authorities, and proxies in both cases", () => {
    const host = {
      NODE_EXTRA_CA_CERTS: "/etc/ca.pem",
      SSL_CERT_FILE: "/etc/file.pem",
      SSL_CERT_DIR: "/etc/certs",
      REQUESTS_CA_BUNDLE: "/etc/bundle.pem",
      HTTP_PROXY: "http://proxy.example:3128",
      https_proxy: "proxy.example:3128",
      ALL_PROXY: "socks5://proxy.example",
      all_proxy: "socks5://proxy.example",
      NO_PROXY: "localhost,.example",
      no_proxy: "*"
    }
    assert.deepStrictEqual(serverEnvironment(host, {}, "linux"), host)
    const strange = {
      Http_Proxy: "http://x",
      ssl_cert_file: "/x",
      NO_PROXY: "",
      FTP_PROXY: "http://x",
      CURL_HOME: "/x"
    }
    assert.deepStrictEqual(serverEnvironment(strange, {}, "linux"), {})
    assert.deepStrictEqual(Object.keys(serverEnvironment(strange, {}, "win32")), ["Http_Proxy", "ssl_cert_file"])
  })

  it("holds no proxy whose address has a user or a password in it", () => {
    for (const address of [
      "http://ada:hunter2@proxy.example:3128",
      "http://ada@proxy.example",
      "ada:hunter2@proxy.example:3128",
      "http://:hunter2@proxy.example",
      "http://ada:p%40ss@proxy.example"
    ]) {
      for (const name of ["HTTP_PROXY", "HTTPS_PROXY", "ALL_PROXY", "http_proxy", "https_proxy", "all_proxy"]) {
        assert.deepStrictEqual(serverEnvironment({ [name]: address }, {}, "linux"), {})
        assert.deepStrictEqual(hostNetwork({ [name]: address }, {}, "linux"), { given: {}, withheld: [name] })
      }
    }
  })

  it("has of these what a configuration says, and not the same in another case beside it", () => {
    const host = { https_proxy: "http://host.example", HTTPS_PROXY: "http://a:b@host.example", SSL_CERT_FILE: "/host" }
    const configured = { HTTPS_PROXY: "http://own.example", SSL_CERT_FILE: "/own" }
    assert.deepStrictEqual(serverEnvironment(host, configured, "linux"), configured)
    assert.deepStrictEqual(hostNetwork(host, configured, "linux").withheld, [])
  })

  it("takes names of the host's in any case on Windows, and only there", () => {
    assert.deepStrictEqual(serverEnvironment({ Path: "x", SystemRoot: "y" }, {}, "win32"), {
      Path: "x",
      SystemRoot: "y"
    })
    assert.deepStrictEqual(serverEnvironment({ Path: "x", path: "y" }, {}, "linux"), {})
  })

  it("a dangerous name is refused as the system compares names", () => {
    assert.isUndefined(invalidName("Node_Options", [], "linux"))
    assert.include(invalidName("Node_Options", [], "win32"), "env.Node_Options can make an interpreter")
    assert.isUndefined(invalidName("Node_Options", ["NODE_OPTIONS"], "win32"))
  })
})
