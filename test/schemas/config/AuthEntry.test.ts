import { assert, describe, it } from "@effect/vitest"
import { decode, entryErrors, entryWarnings, httpOf, serverOf, withServer } from "./decoding.ts"

const URL_ = `url: "https://a.example/mcp"`
const entry = (auth: string, more = "") => `{ ${URL_}, auth: ${auth}${more} }`
const authOf = (auth: string, env = {}) => httpOf(serverOf(decode(withServer(entry(auth)), env))).auth
const errors = (auth: string, more = "") => entryErrors(entry(auth, more))

describe("auth of a server", () => {
  it("is the authorization code grant by default", () => {
    assert.deepStrictEqual(authOf(`{ type: "oauth" }`), { grant: "authorization_code" })
    assert.deepStrictEqual(authOf(`"oauth"`), { grant: "authorization_code" })
    assert.isUndefined(httpOf(serverOf(decode(withServer(`{ ${URL_} }`)))).auth)
  })

  it("accepts every key, puts in variables and keeps references", () => {
    const read = authOf(
      `{ type: "oauth", issuer: "https://\${HOST}", clientId: "me", clientSecret: "secret://env/S", scopes: "a b",
         redirectPort: 4711, tokenEndpointAuthMethod: "client_secret_post", dpop: true }`,
      { HOST: "issuer.example", S: "x" }
    )
    assert.deepStrictEqual(read, {
      grant: "authorization_code",
      issuer: "https://issuer.example",
      clientId: "me",
      clientSecret: "secret://env/S",
      scopes: ["a", "b"],
      redirectPort: 4711,
      tokenEndpointAuthMethod: "client_secret_post",
      dpop: true
    })
  })

  it("takes the grant from the keys that are given", () => {
    const common = `type: "oauth", issuer: "https://i.example", clientId: "me"`
    assert.strictEqual(authOf(`{ ${common}, assertion: "secret://file/~/token" }`)?.grant, "jwt-bearer")
    const company = `enterprise: { idpTokenUrl: "https://idp.example/token", idpClientId: "us", subjectToken: "secret://env/T" }`
    assert.deepInclude(authOf(`{ ${common}, ${company} }`, { T: "x" }), {
      grant: "jwt-bearer",
      enterprise: { idpTokenUrl: "https://idp.example/token", idpClientId: "us", subjectToken: "secret://env/T" }
    })
  })

  it("names the nearest key for an unknown one", () => {
    assert.deepStrictEqual(errors(`{ type: "oauth", clientID: "x" }`), [
      'x.auth.clientID: unknown key, did you mean "clientId"?'
    ])
    assert.deepStrictEqual(
      errors(
        `{ type: "oauth", clientId: "a", enterprise: { idpTokenURL: "https://a", idpClientId: "b", subjectToken: "c" } }`
      )[0],
      'x.auth.enterprise.idpTokenURL: unknown key, did you mean "idpTokenUrl"?'
    )
  })

  it("of an unknown type is refused, and the error lists the types", () => {
    for (const auth of [`{ type: "basic", token: "x" }`, `"bearer"`, "7", `[]`, `{}`]) {
      assert.match(errors(auth).join(), /oauth/, auth)
    }
    assert.include(errors(`{ type: "basic" }`).join(), 'must be "bearer", "api-key" or "oauth", is "basic"')
  })

  it("cannot be combined with an Authorization header", () => {
    assert.deepStrictEqual(errors(`{ type: "oauth" }`, `, headers: { authorization: "Bearer secret://env/T" }`), [
      'x.auth: cannot be combined with the header "Authorization": keep one'
    ])
  })

  it("has no effect on a stdio server", () => {
    assert.deepStrictEqual(entryWarnings(`{ command: "a", auth: { type: "oauth" } }`), [
      'x.auth: "auth" has no effect with transport "stdio"'
    ])
  })

  for (const [auth, problem] of [
    [
      `grant: "password"`,
      /must be one of "authorization_code", "client_credentials", "jwt-bearer", "token-exchange", is "password"/
    ],
    [`grant: "client_credentials"`, /needs "clientId"/],
    [`grant: "client_credentials", clientId: "a"`, /needs a "clientSecret" or a "privateKey"/],
    [`grant: "jwt-bearer", clientId: "a"`, /needs either "assertion" or "enterprise"/],
    [`grant: "jwt-bearer", assertion: "secret://env/A"`, /needs "clientId"/],
    [`grant: "authorization_code", assertion: "secret://env/A"`, /"assertion" goes with grant "jwt-bearer" only/],
    [`clientSecret: "secret://env/A"`, /"clientSecret" needs "clientId"/],
    [`clientId: "a", privateKey: "secret://env/A"`, /"privateKey" needs "algorithm"/],
    [`clientId: "a", privateKey: "secret://env/A", algorithm: "HS256"`, /must be one of "ES256"/],
    [`clientId: "a", clientSecret: "secret://env/A", privateKey: "secret://env/B", algorithm: "ES256"`, /keep one/],
    [`tokenEndpointAuthMethod: "private_key_jwt", clientId: "a"`, /needs "privateKey"/],
    [`tokenEndpointAuthMethod: "client_secret_basic", clientId: "a"`, /needs "clientSecret"/],
    [`clientId: "a", clientMetadataUrl: "https://a.example/client.json"`, /keep one/],
    [`clientMetadataUrl: "https://a.example"`, /with a path/],
    [`clientMetadataUrl: "http://a.example/client.json"`, /must be an https/],
    [`issuer: "a.example"`, /must be an http/],
    [`issuer: "secret://env/A"`, /cannot hold a secret/],
    [`scopes: ["a", 7]`, /must be a string/],
    [`scopes: 3`, /scopes: must be a list of scopes, or one string such as "read write", is a number$/],
    [`scopes: ["é"]`, /is not a scope/],
    [`redirectPort: 80`, /a port from 1024 on/],
    [`dpop: "yes"`, /must be true or false/],
    [`clientId: "\${NOWHERE}"`, /NOWHERE is not set/],
    [`clientId: "a", enterprise: {}`, /"enterprise" needs "idpTokenUrl"/]
  ] as const) {
    it(`refuses { ${auth} }`, () => {
      assert.match(errors(`{ type: "oauth", ${auth} }`).join("\n"), problem)
    })
  }

  it("warns of plaintext credentials without showing them", () => {
    const auth = `{ type: "oauth", issuer: "https://i.example", clientId: "a", clientSecret: "hunter2hunter2" }`
    assert.deepStrictEqual(entryWarnings(entry(auth)), [
      "x.auth.clientSecret: is a plaintext credential in config: consider a secret:// reference"
    ])
  })

  it("warns when the server may choose the issuer that gets the client secret", () => {
    const auth = `{ type: "oauth", grant: "client_credentials", clientId: "a", clientSecret: "secret://env/A" }`
    assert.match(entryWarnings(entry(auth), { A: "x" }).join(), /name the right one with "issuer"/)
  })

  it("of an agent replaces that of the defaults as a whole", () => {
    const text = `{ agents: {
      defaults: { mcp: { servers: { x: ${entry(`{ type: "oauth", clientId: "a", scopes: ["s"] }`)} } } },
      list: [{ id: "main", mcp: { servers: { x: { auth: { type: "oauth", clientId: "b" } } } } }]
    } }`
    assert.deepStrictEqual(httpOf(serverOf(decode(text))).auth, { grant: "authorization_code", clientId: "b" })
  })

  describe("of each person", () => {
    const personal = 'type: "oauth", per: "person"'

    it("gives each person a connection", () => {
      const server = serverOf(decode(withServer(entry(`{ ${personal} }`))))
      assert.deepInclude(server, { isolate: "person", share: false })
      assert.deepInclude(httpOf(server).auth, { per: "person" })
      assert.deepStrictEqual(errors(`{ ${personal} }`, ', share: "person"'), [])
    })

    it("cannot be shared in another way, and is no login of a program", () => {
      assert.include(errors(`{ ${personal} }`, ", share: true").join(), 'x.share: must be "person", or left out')
      assert.include(
        errors(`{ ${personal}, grant: "client_credentials", clientId: "a", clientSecret: "secret://env/S" }`).join(),
        "that is a program, not a person"
      )
    })

    it("the token of the person who calls goes to an authorization server that the operator names, and is used for nobody else", () => {
      const exchange = 'type: "oauth", grant: "token-exchange", clientId: "a"'
      assert.include(errors(`{ ${exchange}, per: "person" }`).join(), 'grant "token-exchange" needs "issuer"')
      assert.include(errors(`{ ${exchange}, issuer: "https://i.example" }`).join(), 'needs "per": "person"')
      const company = '{ idpTokenUrl: "https://idp.example/token", idpClientId: "us", subjectToken: "{caller}" }'
      const vouched = `type: "oauth", clientId: "a", issuer: "https://i.example", enterprise: ${company}`
      assert.include(errors(`{ ${vouched} }`).join(), 'needs "per": "person"')
      assert.deepStrictEqual(errors(`{ ${vouched}, per: "person" }`), [])
      // It stands for a token, and is none.
      assert.notInclude(entryWarnings(entry(`{ ${vouched}, per: "person" }`)).join(), "x.auth")
    })
  })
})
