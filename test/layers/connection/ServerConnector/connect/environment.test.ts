import { assert, describe, it } from "@effect/vitest"
import {
  hostNetwork,
  invalidName,
  serverEnvironment
} from "../../../../../src/layers/connection/ServerConnector/connect/environment.ts"

describe("the environment of a server", () => {
  it("has a few harmless variables of the host, and the configured ones", () => {
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

  it("passes on MCP_LIVE_ORDER_DEPTH on every system", () => {
    const host = { MCP_LIVE_ORDER_DEPTH: "2", MCP_LIVE_HOME: "/x" }
    for (const platform of ["linux", "win32"] as const) {
      assert.deepStrictEqual(serverEnvironment(host, {}, platform), { MCP_LIVE_ORDER_DEPTH: "2" })
    }
  })

  it("passes on certificate authorities and proxies of the host", () => {
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

  it("leaves out a proxy whose URL has a user or password", () => {
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

  it("prefers a configured variable to one of the host with the same name in another case", () => {
    const host = { https_proxy: "http://host.example", HTTPS_PROXY: "http://a:b@host.example", SSL_CERT_FILE: "/host" }
    const configured = { HTTPS_PROXY: "http://own.example", SSL_CERT_FILE: "/own" }
    assert.deepStrictEqual(serverEnvironment(host, configured, "linux"), configured)
    assert.deepStrictEqual(hostNetwork(host, configured, "linux").withheld, [])
  })

  it("matches the host's variable names regardless of case on Windows only", () => {
    assert.deepStrictEqual(serverEnvironment({ Path: "x", SystemRoot: "y" }, {}, "win32"), {
      Path: "x",
      SystemRoot: "y"
    })
    assert.deepStrictEqual(serverEnvironment({ Path: "x", path: "y" }, {}, "linux"), {})
  })

  it("refuses dangerous names, regardless of case on Windows only", () => {
    assert.isUndefined(invalidName("Node_Options", [], "linux"))
    assert.include(invalidName("Node_Options", [], "win32"), "env.Node_Options can make an interpreter")
    assert.isUndefined(invalidName("Node_Options", ["NODE_OPTIONS"], "win32"))
  })
})
