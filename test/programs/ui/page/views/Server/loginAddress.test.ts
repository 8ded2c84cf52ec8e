import { assert, it } from "@effect/vitest"
import { isOpenable } from "../../../../../../src/programs/ui/page/views/Server/loginAddress.ts"

it("makes a link only of an address that is https, or http on this machine", () => {
  for (const good of [
    "https://login.example/a?b=c",
    "http://127.0.0.1:8080/x",
    "http://localhost/x",
    "http://[::1]:1/"
  ]) {
    assert.isTrue(isOpenable(good), good)
  }
  for (const bad of [
    "http://login.example/",
    "javascript:alert(1)",
    "data:text/html,x",
    "file:///etc/passwd",
    "//x",
    "x",
    "http://localhost.evil.example/"
  ]) {
    assert.isFalse(isOpenable(bad), bad)
  }
})
