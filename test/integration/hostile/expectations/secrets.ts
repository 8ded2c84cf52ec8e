import { assert } from "@effect/vitest"
import { failed, findingsOf, refused, type Expectation, type Expectations } from "../expectation.ts"

/** What was told comes through, but for the secret; that it was there is told. */
const told: Expectation = {
  says: /quoth/,
  check: ({ results }) => assert.include(findingsOf(results[0]!), "secretEcho")
}

export const SEC: Expectations = {
  "tells-secret:text": told,
  "tells-secret:structured": told,
  "tells-secret:is-error": { check: ({ results }) => assert.isTrue(results[0]!.isError) },
  "tells-secret:blocks": told,
  "tells-secret:progress": { says: /done/ },
  "tells-secret:log": { says: /done/ },
  "tells-secret:error": failed("ProtocolError", { says: /quoth/ }),
  "tells-secret:stderr": { says: /done/ },
  "tells-secret:exit": failed("ConnectionLost"),
  "secret-definitions": { check: ({ tools }) => assert.isAtLeast(tools().length, 2) },
  "secret-refusal": refused(/quoth/),
  "secret-resource": told,
  "secret-prompt": { check: ({ values }) => assert.include(JSON.stringify(values), "quoth") }
}
